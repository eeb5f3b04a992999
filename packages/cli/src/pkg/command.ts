import { type Command, InvalidArgumentError, Option } from "commander";

const EXIT_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 a rule stands against it (an option overrides it),
5 what was received is not what was promised, 6 unreachable, 7 another process is at work here, 8 files are missing or
altered, 130 ended with Ctrl-C.`;

const PLACE_HELP = `
Packages go to --root, else BACKPLANE_PKG_ROOT, else ~/.backplane/packages. For KiCad give its own folder, such as
--root ~/.local/share/kicad/9.0/3rdparty; brand and version of the tool then follow from it.`;

/** `backplane pkg`: everything about packages, from writing one to repairing an installed one. */
export function addPkgCommand(program: Command): void {
  const pkg = program
    .command("pkg")
    .description("packages: find, install, update and verify them; write, check and publish them")
    .configureOutput({ outputError: tellWrongUsage })
    .addHelpText("after", `${PLACE_HELP}${EXIT_HELP}`);

  addFinding(pkg);
  addInstalling(pkg);
  addSharing(pkg);
  addWriting(pkg);
  addRepositories(pkg);
  addKeys(pkg);
}

/** Programs read one value also when they asked wrongly. */
function tellWrongUsage(text: string, write: (text: string) => void): void {
  if (!process.argv.includes("--json")) {
    write(text);
    return;
  }
  const message = text.trim().replace(/^error: /, "");
  process.stdout.write(`${JSON.stringify({ error: { code: "wrong-usage", message } })}\n`);
}

const json = (command: Command): Command => command.option("--json", "print JSON");

/** What works on a folder of installed packages. */
const placed = (parent: Command, name: string, description: string): Command =>
  json(
    parent
      .command(name)
      .description(description)
      .option("--root <folder>", "where packages are installed")
      .option("--brand <brand>", "the design tool's brand, such as kicad (default: tool)")
      .option("--tool <version>", "the design tool's version, such as 9.0.2")
      .addOption(new Option("--platform <name>", "of the design tool").choices(["windows", "macos", "linux"]))
      .option("--runtime <names...>", "what the design tool offers: swig, ipc (default: both)")
      .option("--offline", "ask nothing of the network; use what is at hand")
      .option("--strict", "refuse a whole list when one package in it has a fault"),
  );

/** What is asked of a Backplane, as somebody who is signed in. */
const calling = (parent: Command, name: string, description: string): Command =>
  json(
    parent
      .command(name)
      .description(description)
      .option("--url <url>", "Backplane's address (default: BASE_URL, else http://localhost:8790)")
      .option("--allow-http", "allow an address without https on another machine"),
  );

const dryRun = (command: Command): Command =>
  command.option("--dry-run", "list every file that would change; change nothing");

function addFinding(pkg: Command): void {
  placed(pkg, "search [words...]", "find packages; all words must match")
    .addOption(new Option("--type <type>", "only these").choices(["plugin", "library", "colortheme"]))
    .option("--fitting", "only what works with the tool")
    .option("--limit <count>", "at most this many", count)
    .action(async (words, options) => {
      process.exitCode = await (await import("./browse.ts")).search(process, words, options);
    });
  placed(pkg, "info <package>", "everything about one package").action(async (spec, options) => {
    process.exitCode = await (await import("./browse.ts")).info(process, spec, options);
  });
  placed(pkg, "explain <package>", "why this version would be installed, and why not each other").action(
    async (spec, options) => {
      process.exitCode = await (await import("./browse.ts")).explain(process, spec, options);
    },
  );
  placed(pkg, "list", "what is installed").action(async (options) => {
    process.exitCode = await (await import("./browse.ts")).list(process, options);
  });
}

function addInstalling(pkg: Command): void {
  dryRun(placed(pkg, "install [packages...]", "install packages: [repository:]identifier[@version]"))
    .option("--lock <file>", "exactly what a lock file names")
    .option("--bundle <file>", "from a bundle, without a network")
    .option("--pin", "and leave it alone when updating")
    .option("--force", "also a version that does not fit the tool")
    .option("--allow-unverified", "also a version whose list has no sha256 for it")
    .option("--change-repository", "also when it was installed from another repository")
    .addHelpText("after", `${PLACE_HELP}${EXIT_HELP}`)
    .action(async (specs: string[], options, command: Command) => {
      if (specs.length === 0 && options.lock === undefined && options.bundle === undefined) {
        command.error("error: name a package, or give --lock or --bundle");
      }
      process.exitCode = await (await import("./change.ts")).install(process, specs, options);
    });
  dryRun(placed(pkg, "update [packages...]", "update all that is not pinned, or these"))
    .option("--allow-unverified", "also a version whose list has no sha256 for it")
    .option("--change-repository", "also from another repository than it was installed from")
    .action(async (identifiers, options) => {
      process.exitCode = await (await import("./change.ts")).update(process, identifiers, options);
    });
  dryRun(placed(pkg, "uninstall <packages...>", "remove packages with all their files")).action(
    async (identifiers, options) => {
      process.exitCode = await (await import("./change.ts")).uninstall(process, identifiers, options);
    },
  );
  placed(pkg, "verify [packages...]", "compare every installed file with its manifest").action(
    async (identifiers, options) => {
      process.exitCode = await (await import("./verify.ts")).verify(process, identifiers, options);
    },
  );
  dryRun(placed(pkg, "repair [packages...]", "put missing and altered files back")).action(
    async (identifiers, options) => {
      process.exitCode = await (await import("./change.ts")).repair(process, identifiers, options);
    },
  );
  for (const [name, pinned, description] of [
    ["pin", true, "leave these alone when updating"],
    ["unpin", false, "update these again"],
  ] as const) {
    placed(pkg, `${name} <packages...>`, description).action(async (identifiers, options) => {
      process.exitCode = await (await import("./change.ts")).setPinned(process, identifiers, pinned, options);
    });
  }
}

function addSharing(pkg: Command): void {
  placed(pkg, "lock [file]", "write which versions are installed, to the byte (default: packages.lock.json)").action(
    async (file = "packages.lock.json", options) => {
      process.exitCode = await (await import("./share.ts")).lock(process, file, options);
    },
  );
  placed(pkg, "bundle <packages...>", "one file with everything to install these without a network")
    .requiredOption("--out <file>", "the file to write")
    .action(async (specs, options) => {
      process.exitCode = await (await import("./share.ts")).bundle(process, specs, options);
    });
  placed(pkg, "mirror <url> <folder>", "copy a whole repository, verified, as files for any web server")
    .requiredOption("--base-url <url>", "where the folder will be served")
    .option("--name <name>", "of the copy (default: that of the repository)")
    .option("--key <file>", "sign the copy with this key")
    .option("--prune", "remove what the repository no longer lists")
    .action(async (url, folder, options) => {
      process.exitCode = await (await import("./share.ts")).mirror(process, url, folder, options);
    });
}

function addWriting(pkg: Command): void {
  const brand = (command: Command) =>
    command.option("--brand <brand>", "the design tool's brand (default: as it is written)");
  json(
    brand(pkg.command("validate <files...>").description("check metadata, lists, repositories and archives")),
  ).action(async (files, options) => {
    process.exitCode = await (await import("./author.ts")).validate(process, files, options);
  });
  json(brand(pkg.command("pack [folder]").description("make the archive of a package from its folder")))
    .option("--out <file>", "the archive to write (default: the folder's name and .zip)")
    .action(async (folder = ".", options) => {
      process.exitCode = await (await import("./author.ts")).pack(process, folder, options);
    });
  json(pkg.command("build <from...>").description("make a repository of archives, for any web server"))
    .requiredOption("--out <folder>", "the folder to write")
    .requiredOption("--base-url <url>", "where the folder will be served")
    .option("--brand <brand>", "the design tool's brand, such as kicad", "tool")
    .option("--name <name>", "of the repository", "Packages")
    .option("--key <file>", "sign the index with this key")
    .option("--skip-faulty", "leave out what has faults instead of writing nothing")
    .addHelpText("after", "\nThe same input gives the same bytes. SOURCE_DATE_EPOCH sets the time of the first build.")
    .action(async (from, options) => {
      process.exitCode = await (await import("./author.ts")).build(process, from, options);
    });
  calling(pkg, "publish [archive]", "publish an archive, or a package's folder (default: this one)")
    .option("--owner <name>", "the organisation that a new package belongs to (default: you)")
    .option("--check", "only say what is wrong with it; publish nothing")
    .addHelpText("after", `\nIt needs backplane login, or an API key in BACKPLANE_TOKEN.\n${EXIT_HELP}`)
    .action(async (source = ".", options) => {
      process.exitCode = await (await import("./publish.ts")).publish(process, source, options);
    });
  calling(pkg, "deprecate <package@version>", "say that a published version should not be used any more")
    .addOption(
      new Option("--status <status>", "or give it another status").choices([
        "stable",
        "testing",
        "development",
        "deprecated",
      ]),
    )
    .action(async (spec, options) => {
      process.exitCode = await (await import("./publish.ts")).setStatus(process, spec, options);
    });
}

function addRepositories(pkg: Command): void {
  const repo = pkg.command("repo").description("the repositories that packages come from, in their order");
  placed(repo, "add <url>", "add the repository.json of a repository")
    .option("--name <name>", "what to call it here")
    .option("--first", "before the others: of two with one package, the first counts")
    .action(async (url, options) => {
      process.exitCode = await (await import("./repositories.ts")).addRepository(process, url, options);
    });
  placed(repo, "list", "which there are").action(async (options) => {
    process.exitCode = await (await import("./repositories.ts")).listRepositories(process, options);
  });
  placed(repo, "remove <repository>", "forget one, by name or address").action(async (repository, options) => {
    process.exitCode = await (await import("./repositories.ts")).removeRepository(process, repository, options);
  });
  placed(pkg, "refresh", "read the lists of all repositories").action(async (options) => {
    process.exitCode = await (await import("./repositories.ts")).refresh(process, options);
  });
}

function addKeys(pkg: Command): void {
  const keys = pkg.command("keys").description("keys that sign repositories: those you believe, and your own");
  placed(keys, "list", "the keys that are believed, by repository").action(async (options) => {
    process.exitCode = await (await import("./keys.ts")).listKeys(process, options);
  });
  placed(keys, "forget <repository>", "believe the keys that the next visit finds").action(
    async (repository, options) => {
      process.exitCode = await (await import("./keys.ts")).forgetKeys(process, repository, options);
    },
  );
  calling(keys, "rotate", "replace the key of a Backplane's index, as the instance's owner; needs backplane login")
    .option("--promote", "the second step: let the announced key sign in place of the current one")
    .action(async (options) => {
      process.exitCode = await (await import("./keys.ts")).rotateKey(process, options);
    });
  json(keys.command("new <file>").description("make a key for build and mirror to sign with")).action(
    async (file, options) => {
      process.exitCode = await (await import("./keys.ts")).newKey(process, file, options);
    },
  );
}

const MAX_COUNT = 1_000;

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_COUNT) throw new InvalidArgumentError(`Use 1 to ${MAX_COUNT}.`);
  return value;
}
