import { type Command, InvalidArgumentError } from "commander";

const EXIT_HELP = `
The project is --project, else VIEWER_PROJECT, else the working folder; its screenshots are in screenshots/sp/.
A <screenshot> is its id, its name, or the path of one of its two files: backplane viewer list shows them.
The viewer that backplane up runs is asked where it keeps this project; else these commands work on the folder.
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 130 ended with Ctrl-C.`;

/** `backplane viewer`: screenshots that were pasted, for people and for AI clients. */
export function addViewerCommand(program: Command): void {
  const viewer = program
    .command("viewer")
    .description("pasted screenshots: open the page, add, list, search and rename them, offer them over MCP")
    .addHelpText("after", EXIT_HELP);
  const add = (name: string, description: string) =>
    viewer.command(name).description(description).option("--project <folder>", "whose screenshots");

  add("open", "open the page to paste into, in a workspace or a browser window")
    .option("--title <text>", "what stands above it")
    .option("--json", "print JSON")
    .action(async (options) => {
      process.exitCode = await (await import("./open.ts")).open(process, options);
    });
  add("add <file>", "take an image file as if it were pasted; with -, what is piped in")
    .option("--title <text>", "what it belongs to")
    .option("--json", "print JSON")
    .action(async (file, options) => {
      process.exitCode = await (await import("./add.ts")).add(process, file, options);
    });
  add("list", "the newest screenshots")
    .option("--limit <count>", "how many (default: 20)", count)
    .option("--json", "print JSON")
    .action(async (options) => {
      process.exitCode = await (await import("./look.ts")).list(process, options);
    });
  add("search <words...>", "screenshots whose name or recognised text has all of these words")
    .option("--limit <count>", "how many (default: 20)", count)
    .option("--json", "print JSON")
    .action(async (words: string[], options) => {
      process.exitCode = await (await import("./look.ts")).search(process, words.join(" "), options);
    });
  add("rename <screenshot> <name>", "give both of its files another name")
    .option("--json", "print JSON")
    .action(async (screenshot, name, options) => {
      process.exitCode = await (await import("./rename.ts")).rename(process, screenshot, name, options);
    });
  add("mcp", "serve screenshots to an AI client over MCP, on standard input and output").action(async (options) => {
    process.exitCode = await (await import("./mcp.ts")).serveMcp(process, options);
  });
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("Use a whole number from 1 on.");
  return value;
}
