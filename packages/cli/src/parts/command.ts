import type { Part } from "@backplane/kit/parts";
import { typosBetween } from "@backplane/kit/typos";
import type { Command } from "commander";
import { action } from "../command.ts";
import { partHelp } from "./part-help.ts";

/** `backplane platform` and `backplane watchdog`. The gateway and the viewer also have commands below them. */
export function addPartCommands(program: Command): void {
  runsPart(program.command("platform").description("run a platform in this terminal, without the rest"), "platform");
  runsPart(
    program.command("watchdog").description("run a watchdog and its gateway in this terminal, without the rest"),
    "watchdog",
  );
}

/** Without a command below it, this command runs the part. Call it last: commands below would also take excess words. */
export function runsPart(command: Command, part: Part): Command {
  return command
    .addHelpText("after", () => partHelp(command, part))
    .allowExcessArguments()
    .action(
      action(async () => {
        refuseWords(command);
        const { runPart } = await import("./run-part.ts");
        return (host) => runPart(host, part);
      }),
    );
}

const MAX_TYPOS = 2;

/** A misspelt command must not start a server. */
function refuseWords(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const meant = command.commands.map((each) => each.name()).find((name) => typosBetween(name, word) <= MAX_TYPOS);
  command.error(`error: unknown command '${word}'${meant === undefined ? "" : `\n(Did you mean ${meant}?)`}`);
}
