import type { Command } from "commander";
import { action, number } from "../command.ts";
import { runsPart } from "../parts/command.ts";

const HELP = `
The project is --project, or VIEWER_PROJECT, or the working folder; its screenshots are in screenshots/sp/.
In a folder without them, all commands except mcp use the project of the Backplane that runs on this machine.
A <screenshot> is an id, a name, or the path of one of its two files: backplane viewer list shows them.
If backplane up runs a viewer for this project, these commands use it; otherwise they work on the folder.`;

/** `backplane viewer`: pasted screenshots, for people and for AI clients. */
export function addViewerCommand(program: Command): void {
  const viewer = program
    .command("viewer")
    .description(
      "run a viewer in this terminal; with a command: open the page, add, list, search and rename screenshots, offer them over MCP",
    )
    .addHelpText("after", HELP);
  const add = (name: string, description: string) =>
    viewer.command(name).description(description).option("--project <folder>", "the project's folder");
  const addWithJson = (name: string, description: string) => add(name, description).option("--json", "print JSON");
  const limit = number();

  addWithJson("open", "open the page to paste into, in a workspace or a browser window")
    .option("--title <text>", "the heading of the page")
    .action(action(async () => (await import("./open.ts")).open));
  addWithJson("add <file>", "add an image file as if it were pasted; - reads standard input")
    .option("--title <text>", "what the screenshot is about")
    .action(action(async () => (await import("./pastes.ts")).add));
  addWithJson("list", "list the newest screenshots")
    .option("--limit <count>", "how many (default: 20)", limit)
    .action(action(async () => (await import("./pastes.ts")).list));
  addWithJson("search <words...>", "find screenshots with all of these words in their name or recognised text")
    .option("--limit <count>", "how many (default: 20)", limit)
    .action(action(async () => (await import("./pastes.ts")).search));
  addWithJson("rename <screenshot> <name>", "rename both files of a screenshot").action(
    action(async () => (await import("./pastes.ts")).rename),
  );
  add("mcp", "serve screenshots to an AI client over MCP, on standard input and output").action(
    action(async () => (await import("./mcp.ts")).serveMcp),
  );
  runsPart(viewer, "viewer");
}
