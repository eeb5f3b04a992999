import { EXIT } from "@backplane/contract/problems";
import { VERSION } from "@backplane/kit/version";
import { Argument, type Command, CommanderError } from "commander";
import { addBackupCommands } from "./backup/command.ts";
import { addBoardCommand } from "./board/command.ts";
import { action, commandLineOf } from "./command.ts";
import { completionFor, SHELLS } from "./completion.ts";
import { addConnectCommand } from "./connect/command.ts";
import { addDeviceCommands } from "./device/command.ts";
import { addGatewayCommand } from "./gateway/command.ts";
import { addLoginCommands } from "./login/command.ts";
import { addPanelCommand } from "./panel/command.ts";
import { addPartCommands } from "./parts/command.ts";
import { addPkgCommand } from "./pkg/command.ts";
import { addSchematicCommand } from "./schematic/command.ts";
import { addServiceCommand } from "./service/command.ts";
import { TOPICS } from "./topics.ts";
import { addUninstallCommand } from "./uninstall/command.ts";
import { addViewerCommand } from "./viewer/command.ts";

/** Every command, on this process. */
export function allCommands(host: NodeJS.Process): Command {
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

  addPartCommands(program);
  addBackupCommands(program);
  addGatewayCommand(program);
  addServiceCommand(program);
  addConnectCommand(program);
  addLoginCommands(program);
  addPkgCommand(program);
  addPanelCommand(program);
  addDeviceCommands(program);
  addSchematicCommand(program);
  addBoardCommand(program);
  addViewerCommand(program);
  addUninstallCommand(program);

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
  try {
    await allCommands(host).parseAsync(host.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Asking for help is not a mistake; everything else that commander refuses is wrong usage.
    host.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}
