import { EXIT } from "@backplane/contract/problems";
import { VERSION } from "@backplane/kit/version";
import { Argument, type Command, CommanderError } from "commander";
import { action, commandLineOf } from "./command.ts";
import { completionFor, SHELLS } from "./completion.ts";
import { TOPICS } from "./topics.ts";

type Group = { names: readonly string[]; load: () => Promise<(program: Command) => void> };

/** In the order of the help. To read all of them takes longer than most commands, so a command line loads only its own. */
export const GROUPS: readonly Group[] = [
  { names: ["platform", "watchdog"], load: async () => (await import("./parts/command.ts")).addPartCommands },
  { names: ["backup", "restore", "move"], load: async () => (await import("./backup/command.ts")).addBackupCommands },
  { names: ["gateway"], load: async () => (await import("./gateway/command.ts")).addGatewayCommand },
  { names: ["service"], load: async () => (await import("./service/command.ts")).addServiceCommand },
  { names: ["connect"], load: async () => (await import("./connect/command.ts")).addConnectCommand },
  {
    names: ["login", "whoami", "sessions", "logout"],
    load: async () => (await import("./login/command.ts")).addLoginCommands,
  },
  { names: ["pkg"], load: async () => (await import("./pkg/command.ts")).addPkgCommand },
  { names: ["panel"], load: async () => (await import("./panel/command.ts")).addPanelCommand },
  { names: ["device", "stream"], load: async () => (await import("./device/command.ts")).addDeviceCommands },
  { names: ["simulate"], load: async () => (await import("./device/simulate-command.ts")).addSimulateCommand },
  { names: ["schematic"], load: async () => (await import("./schematic/command.ts")).addSchematicCommand },
  { names: ["board"], load: async () => (await import("./board/command.ts")).addBoardCommand },
  { names: ["viewer"], load: async () => (await import("./viewer/command.ts")).addViewerCommand },
  { names: ["uninstall"], load: async () => (await import("./uninstall/command.ts")).addUninstallCommand },
];

/** These are declared here, and need no other. */
const ALONE = ["up", "doctor", "reset-password", "address", "version", "--version", "-v"];

/** What a command line that begins with this word may be about: help, completion and misspelt commands are about all. */
function groupsFor(word: string | undefined): readonly Group[] {
  if (word === undefined) return GROUPS;
  if (ALONE.includes(word)) return [];
  const own = GROUPS.filter(({ names }) => names.includes(word));
  return own.length > 0 ? own : GROUPS;
}

/** The commands that these words may be about, on this process; without words, every command. */
export async function commandsFor(host: NodeJS.Process, [word]: readonly string[] = []): Promise<Command> {
  const program = commandLineOf(host, "backplane")
    .description("The extension services of an electronics workspace, on this machine.")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    // For commands with commands below them. At the top, help also prints guides.
    .helpCommand("help [command]", "show the help of a command")
    .helpCommand(false)
    .exitOverride()
    .addHelpText(
      "after",
      `
Settings come from the environment and from .env in the working folder: backplane help settings
Guides: backplane help, then one of ${TOPICS.map(({ name }) => name).join(", ")}`,
    )
    .addHelpText(
      "afterAll",
      `
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not reachable, 4 not allowed, 5 not found,
6 conflict or refused, 130 interrupted.`,
    );

  program
    .command("up")
    .description("run everything in this terminal: platform, gateway, watchdog, viewer")
    .option("--exit-on-failure", "end with code 1 when a process was restarted 5 times in 5 minutes, for systemd")
    .addHelpText(
      "after",
      `
Prints the addresses and, the first time, the owner's password. Ctrl-C stops everything.
Processes that end or hang are restarted, at most 30 s later, until they run. Logs are in $BACKPLANE_HOME/logs/, or in LOGS_FOLDER.
To run them apart, on one machine or several: backplane platform, gateway, watchdog, viewer`,
    )
    .action(action(async () => (await import("./up.ts")).up));

  program
    .command("doctor")
    .description("check what Backplane needs on this machine, and how to fix what is missing")
    .option("--json", "print the findings as JSON")
    .action(action(async () => (await import("./doctor.ts")).doctor));

  program
    .command("reset-password <name>")
    .description("make a link with which this person chooses a new password; on the machine of the database")
    .option("--json", "print the link as JSON")
    .addHelpText(
      "after",
      `
For people who cannot sign in, and for the owner. Uses the settings of this machine (BACKPLANE_HOME, DATABASE_URL); Backplane
may run or not. The link works once, for an hour, and ends all sessions and API keys of the account.`,
    )
    .action(action(async () => (await import("./reset-password.ts")).resetPassword));

  program
    .command("address")
    .addArgument(new Argument("[process]").choices(["platform", "gateway", "watchdog", "viewer"]).default("platform"))
    .description("print the address that commands use, for scripts")
    .action(action(async () => (await import("./address.ts")).address));

  for (const { load } of groupsFor(word)) (await load())(program);

  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .description("print the completion of commands and options for a shell")
    .addHelpText(
      "after",
      `
bash, in ~/.bashrc:                 eval "$(backplane completion bash)"
zsh, in ~/.zshrc:                   eval "$(backplane completion zsh)"
fish, in ~/.config/fish/config.fish: backplane completion fish | source`,
    )
    .action((shell) => void host.stdout.write(completionFor(program, shell)));
  program
    .command("help")
    .argument("[words...]", "a command or a topic")
    .description("show the help of a command, or a guide")
    .action(async (words) => {
      host.exitCode = await (await import("./help.ts")).help(host, program, words);
    });
  program
    .command("version")
    .description("print the version")
    .action(() => void host.stdout.write(`${VERSION}\n`));
  nameOwnHelp(program, program.name());
  return program;
}

/** A wrong command line names the help of the command that it is about. */
function nameOwnHelp(command: Command, words: string): void {
  const what = command.commands.length > 0 ? "command" : "option";
  command.showHelpAfterError(`Run ${words} --help to see every ${what}.`);
  for (const below of command.commands) nameOwnHelp(below, `${words} ${below.name()}`);
}

/** Runs the command line of a process, and sets its exit code. */
export async function runProgram(host: NodeJS.Process): Promise<void> {
  // Once, although a process may run several commands.
  for (const stream of [host.stdout, host.stderr])
    if (stream.listenerCount("error") === 0) stream.on("error", throwUnlessClosed);
  try {
    const program = await commandsFor(host, host.argv.slice(2));
    await program.parseAsync(host.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Asking for help is not a mistake; everything else that commander refuses is wrong usage.
    host.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** A reader such as head may close the pipe early. That is not a fault. */
function throwUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
