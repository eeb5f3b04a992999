import { Argument, type Command, Option, type OutputConfiguration } from "commander";
import { action, hostOf, number } from "../command.ts";
import { optionOf, QUESTIONS } from "./metadata-questions.ts";

const PLACE_HELP = `
Packages are installed to --root, or BACKPLANE_PKG_ROOT, or ~/.backplane/packages. --kicad finds KiCad's own folder: that
of its latest version, or of the one in --tool. A path such as --root ~/.local/share/kicad/9.0/3rdparty says the brand
and version of the tool too.`;

/** `backplane pkg`: everything about packages. */
export function addPkgCommand(program: Command): void {
  const pkg = program
    .command("pkg")
    .description("packages: find, install, update and verify them; write, check and publish them")
    .configureOutput(wrongUsageAs(hostOf(program)))
    .addHelpText("after", PLACE_HELP);

  addFinding(pkg);
  addInstalling(pkg);
  addSharing(pkg);
  addWriting(pkg);
  addRepositories(pkg);
  addKeys(pkg);
}

/** With --json, wrong usage is reported as JSON too, without a hint for people after it. */
function wrongUsageAs(host: NodeJS.Process): OutputConfiguration {
  if (!host.argv.includes("--json")) return {};
  return {
    outputError(text) {
      const message = text.trim().replace(/^error: /, "");
      host.stdout.write(`${JSON.stringify({ error: { code: "wrong-usage", message } })}\n`);
    },
    writeErr: () => {},
  };
}

const json = (command: Command): Command => command.option("--json", "print JSON");

/** A command that works on a folder of installed packages. */
const placed = (parent: Command, name: string, description: string): Command =>
  json(
    parent
      .command(name)
      .description(description)
      .option("--root <folder>", "where packages are installed")
      .option("--kicad", "where KiCad has its packages; --tool chooses among several versions")
      .option("--brand <brand>", "the design tool's brand, such as kicad (default: tool)")
      .option("--tool <version>", "the design tool's version, such as 9.0.2")
      .addOption(new Option("--platform <name>", "the design tool's platform").choices(["windows", "macos", "linux"]))
      .option("--runtime <names...>", "the runtimes of the design tool: swig, ipc (default: both)")
      .option("--offline", "do not use the network; use cached lists")
      .option("--strict", "refuse a whole list if one package in it is invalid"),
  );

/** A command that finds packages in repositories. */
const finding = (parent: Command, name: string, description: string): Command =>
  placed(parent, name, description).option(
    "--url <url>",
    "also use the packages of this Backplane: adds its repository",
  );

/** A command that calls a Backplane as the signed-in user. */
const calling = (parent: Command, name: string, description: string): Command =>
  json(
    parent
      .command(name)
      .description(description)
      .option(
        "--url <url>",
        "Backplane's address (default: BASE_URL, or the one that runs here, or http://localhost:8790)",
      )
      .option("--allow-http", "allow an address without https on another machine"),
  );

const dryRun = (command: Command): Command =>
  command.option("--dry-run", "list every file that would change; change nothing");

function addFinding(pkg: Command): void {
  finding(pkg, "search [words...]", "find packages; all words must match")
    .option("--type <type>", "only packages of this type: plugin, library, colortheme or another")
    .option("--fitting", "only packages that work with the tool")
    .option("--limit <count>", "at most this many", number({ max: 1_000 }))
    .action(action(async () => (await import("./browse.ts")).search));
  placed(pkg, "info <package>", "print everything about one package").action(
    action(async () => (await import("./browse.ts")).info),
  );
  placed(pkg, "explain <package>", "explain which version would be installed, and why not the others").action(
    action(async () => (await import("./browse.ts")).explain),
  );
  placed(pkg, "list", "list the installed packages").action(action(async () => (await import("./browse.ts")).list));
}

function addInstalling(pkg: Command): void {
  dryRun(finding(pkg, "install [packages...]", "install packages: [repository:]identifier[@version]"))
    .option("--lock <file>", "install exactly what this lock file lists")
    .option("--bundle <file>", "install from this bundle, without a network")
    .option("--pin", "do not update it later")
    .option("--force", "install it even if it does not work with the tool")
    .option("--allow-unverified", "install it even if the list has no checksum for it")
    .option("--change-repository", "install it even if it was installed from another repository")
    .addHelpText("after", PLACE_HELP)
    .hook("preAction", (command) => {
      const { lock, bundle } = command.opts();
      if (command.args.length === 0 && lock === undefined && bundle === undefined) {
        command.error("error: name a package, or give --lock or --bundle");
      }
    })
    .action(action(async () => (await import("./change.ts")).install));
  dryRun(placed(pkg, "update [packages...]", "update these packages, or all that are not pinned"))
    .option("--allow-unverified", "update it even if the list has no checksum for it")
    .option("--change-repository", "also from a repository other than the one it was installed from")
    .action(action(async () => (await import("./change.ts")).update));
  dryRun(placed(pkg, "uninstall <packages...>", "remove packages with all their files")).action(
    action(async () => (await import("./change.ts")).uninstall),
  );
  placed(pkg, "verify [packages...]", "compare every installed file with its manifest").action(
    action(async () => (await import("./change.ts")).verify),
  );
  dryRun(placed(pkg, "repair [packages...]", "restore missing and changed files")).action(
    action(async () => (await import("./change.ts")).repair),
  );
  for (const [name, pinned, description] of [
    ["pin", true, "do not update these packages"],
    ["unpin", false, "allow updates of these packages again"],
  ] as const) {
    placed(pkg, `${name} <packages...>`, description).action(
      action(async () => {
        const { setPinned } = await import("./change.ts");
        return (host, identifiers, options) => setPinned(host, identifiers, pinned, options);
      }),
    );
  }
}

function addSharing(pkg: Command): void {
  placed(
    pkg,
    "lock [file]",
    "write a lock file with the exact versions installed (default: packages.lock.json)",
  ).action(action(async () => (await import("./share.ts")).lock));
  placed(pkg, "bundle <packages...>", "write one file that installs these packages without a network")
    .requiredOption("--out <file>", "the file to write")
    .action(action(async () => (await import("./share.ts")).bundle));
  placed(pkg, "mirror <url> <folder>", "copy and verify a whole repository, as files for any web server")
    .requiredOption("--base-url <url>", "where the folder will be served")
    .option("--name <name>", "the name of the copy (default: the name of the repository)")
    .option("--key <file>", "sign the copy with this key")
    .option("--prune", "remove files that the repository no longer lists")
    .action(action(async () => (await import("./share.ts")).mirror));
}

function addWriting(pkg: Command): void {
  addInit(pkg);
  const brand = (command: Command) =>
    command.option("--brand <brand>", "the design tool's brand (default: as in the metadata)");
  json(
    brand(pkg.command("validate <files...>").description("check metadata, package lists, repositories and archives")),
  ).action(action(async () => (await import("./author.ts")).validate));
  json(
    brand(
      pkg.command("pack [folder]").description("make the archive of a package from its folder (default: this one)"),
    ),
  )
    .option("--out <file>", "the archive to write (default: the folder's name with .zip)")
    .action(action(async () => (await import("./author.ts")).pack));
  json(pkg.command("build <from...>").description("make a repository from archives, for any web server"))
    .requiredOption("--out <folder>", "the folder to write")
    .requiredOption("--base-url <url>", "where the folder will be served")
    .option("--brand <brand>", "the design tool's brand, such as kicad", "tool")
    .option("--name <name>", "the name of the repository", "Packages")
    .option("--key <file>", "sign the index with this key")
    .option("--skip-faulty", "leave out archives with errors instead of writing nothing")
    .addHelpText("after", "\nThe same input gives the same bytes. SOURCE_DATE_EPOCH sets the time of the first build.")
    .action(action(async () => (await import("./author.ts")).build));
  calling(pkg, "publish [archive]", "publish an archive, or a package's folder (default: this one)")
    .option("--owner <name>", "the organisation that a new package belongs to (default: you)")
    .option("--private", "if the package is new: only its owner sees it, and whoever has a secret address")
    .option("--check", "only check it; publish nothing")
    .addHelpText("after", "\nIt needs backplane login, or an API key in BACKPLANE_TOKEN.")
    .action(action(async () => (await import("./publish.ts")).publish));
  calling(
    pkg,
    "import <repository>",
    "publish every version of another repository here, by the address of its repository.json",
  )
    .option("--owner <name>", "the organisation that new packages belong to (default: you)")
    .option("--brand <brand>", "the brand whose spelling the repository uses", "kicad")
    .option("--dry-run", "list what would be published; change nothing")
    .addHelpText("after", "\nVersions that are here are skipped: run it again to go on after an interruption.")
    .action(action(async () => (await import("./import.ts")).importRepository));
  calling(pkg, "deprecate <package@version>", "mark a published version as deprecated")
    .addOption(
      new Option("--status <status>", "set another status").choices(["stable", "testing", "development", "deprecated"]),
    )
    .action(action(async () => (await import("./publish.ts")).setStatus));
  calling(pkg, "visibility <package>", "make a package of yours private, or public")
    .addArgument(new Argument("<visibility>").choices(["private", "public"]))
    .action(action(async () => (await import("./publish.ts")).setVisibility));
  calling(pkg, "unpublish <package@version>", "delete the archive of a version that should not have been published")
    .requiredOption("--reason <text>", "why; required, and everybody can read it")
    .addHelpText(
      "after",
      "\nIts number stays reserved: publish the next one. To advise against a version, deprecate it.",
    )
    .action(action(async () => (await import("./publish.ts")).unpublish));
}

/** Every question is an option too. */
function addInit(pkg: Command): void {
  const init = json(pkg.command("init [folder]").description("write a new package's metadata.json by asking"))
    .option("--yes", "do not ask: use the options and the defaults")
    .option("--brand <brand>", "the design tool's brand, such as kicad", "tool")
    .option("--keep-on-update <patterns...>", "regular expressions: files that an update leaves alone");
  for (const { name, words } of QUESTIONS) init.option(`${optionOf(name)} <text>`, words.toLowerCase());
  init.action(action(async () => (await import("./init.ts")).init));
}

function addRepositories(pkg: Command): void {
  const repo = pkg.command("repo").description("the repositories that packages come from, in order of priority");
  placed(repo, "add <url>", "add a repository by the address of its repository.json")
    .option("--name <name>", "its name here")
    .option("--first", "put it first: if two repositories have a package, the first one wins")
    .action(action(async () => (await import("./repositories.ts")).addRepository));
  placed(repo, "list", "list the repositories").action(
    action(async () => (await import("./repositories.ts")).listRepositories),
  );
  placed(repo, "remove <repository>", "remove a repository, by name or address").action(
    action(async () => (await import("./repositories.ts")).removeRepository),
  );
  placed(pkg, "refresh", "fetch the package lists of all repositories").action(
    action(async () => (await import("./repositories.ts")).refresh),
  );
}

function addKeys(pkg: Command): void {
  const keys = pkg.command("keys").description("keys that sign repositories: those you trust, and your own");
  placed(keys, "list", "list the trusted keys of each repository").action(
    action(async () => (await import("./keys.ts")).listKeys),
  );
  placed(
    keys,
    "forget <repository>",
    "forget the keys of a repository; the next refresh trusts the keys that it finds",
  ).action(action(async () => (await import("./keys.ts")).forgetKeys));
  json(keys.command("new <file>").description("make a signing key for build and mirror")).action(
    action(async () => (await import("./keys.ts")).newKey),
  );
}
