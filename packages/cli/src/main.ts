import { VERSION } from "@backplane/kit/version";
import { Command, CommanderError } from "commander";
import { addConnectCommand } from "./connect/command.ts";
import { addGatewayCommand } from "./gateway/command.ts";
import { addLoginCommands } from "./login/command.ts";
import { addPanelCommand } from "./panel/command.ts";
import { addPkgCommand } from "./pkg/command.ts";
import { addViewerCommand } from "./viewer/command.ts";

/** 0: done. 1: failed. Wrong usage is this. */
const WRONG_USAGE = 2;

const program = new Command("backplane")
  .description("The extension services of an electronics workspace, on this machine.")
  .version(VERSION, "-v, --version", "print the version")
  .helpOption("-h, --help", "show this help")
  .helpCommand("help [command]", "show the help of a command")
  .showHelpAfterError("Run backplane --help to see every command and option.")
  .exitOverride()
  .addHelpText(
    "after",
    `
Settings come from the environment and from .env in the working folder; README.md lists them.
Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`,
  );

program
  .command("up")
  .description("run everything in this terminal: platform, gateway, watchdog, viewer")
  .addHelpText(
    "after",
    `
Prints the addresses and, the first time, the owner's password. Ctrl-C stops all of it.
A process that ends is restarted. Logs are in $BACKPLANE_HOME/logs/.`,
  )
  .action(async () => {
    // Loaded when asked for: a command should not pay for its neighbours.
    const { up } = await import("./up.ts");
    process.exitCode = await up(process);
  });

program
  .command("doctor")
  .description("check what Backplane needs here, with the fix for what is missing")
  .option("--json", "print the findings as JSON")
  .action(async ({ json }: { json?: boolean }) => {
    const { doctor } = await import("./doctor.ts");
    process.exitCode = await doctor(process, { json: json === true });
  });

addGatewayCommand(program);
addConnectCommand(program);
addLoginCommands(program);
addPkgCommand(program);
addPanelCommand(program);
addViewerCommand(program);

program
  .command("version")
  .description("print the version")
  .action(() => console.log(VERSION));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Asking for help is no mistake; anything else commander refuses is.
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
}
