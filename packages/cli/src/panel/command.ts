import { type Command, InvalidArgumentError, Option } from "commander";

const EXIT_HELP = `
It needs backplane login, or an API key with the scope panels in BACKPLANE_TOKEN.
The workspace is --workspace, else BACKPLANE_WORKSPACE, else your own "main". It is made by its first use.
A <panel> is the id of a panel, the id of a tab, or the name of one: backplane panel list shows them.
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 unreachable, 130 ended with Ctrl-C.`;

/** `backplane panel`: drives the panels of a workspace, as any program does with the sdk. */
export function addPanelCommand(program: Command): void {
  const panel = program
    .command("panel")
    .description("the panels of a workspace: open, load, run code in and take pictures of them")
    .addHelpText("after", EXIT_HELP);
  const add = (name: string, description: string, parent: Command = panel) =>
    parent
      .command(name)
      .description(description)
      .option("--workspace <owner/name>", "which workspace")
      .option("--url <url>", "Backplane's address (default: BASE_URL, else http://localhost:8790)")
      .option("--allow-http", "allow an address without https on another machine")
      .option("--json", "print JSON");

  addLooking(add);
  addArranging(add, panel);
  addDriving(add);
  addTelling(add);
}

type Add = (name: string, description: string, parent?: Command) => Command;

function addLooking(add: Add): void {
  add("list", "the panels that are open").action(async (options) => {
    process.exitCode = await (await import("./arrange.ts")).list(process, options);
  });
  add("workspaces", "your workspaces, and those of your organisations").action(async (options) => {
    process.exitCode = await (await import("./arrange.ts")).workspaces(process, options);
  });
  add("catalog", "every kind of panel there is").action(async (options) => {
    process.exitCode = await (await import("./arrange.ts")).catalog(process, options);
  });
}

function addArranging(add: Add, panel: Command): void {
  add("open <kind>", "open a panel of the catalog, such as webview or sandbox")
    .option("--name <name>", "what its tab says, and what to call it by afterwards")
    .option("--address <url>", "the page a web view loads")
    .option("--proxy", "load it through the proxy")
    .option("--state <json>", "its first state")
    .option("--panel <panel>", "in or beside this one (default: the first)")
    .option("--right", "in a new panel on the right")
    .option("--below", "in a new panel below")
    .option("--reuse", "show the one of this name that is open already")
    .option("--background", "behind the tab that is in front")
    .action(async (kind, options) => {
      process.exitCode = await (await import("./arrange.ts")).open(process, kind, options);
    });
  add("close <panel>", "close a tab").action(async (named, options) => {
    process.exitCode = await (await import("./arrange.ts")).close(process, named, options);
  });
  add("focus <panel>", "put a tab in front of the others in its panel").action(async (named, options) => {
    process.exitCode = await (await import("./arrange.ts")).focus(process, named, options);
  });
  const layout = panel.command("layout").description("how the panels are laid out");
  add("show", "print the tree of splits and panels", layout).action(async (options) => {
    process.exitCode = await (await import("./arrange.ts")).layout(process, options);
  });
  add("move <panel> <target>", "move a tab into another panel", layout)
    .addOption(new Option("--split <side>", "into a new panel beside it").choices(["left", "right", "above", "below"]))
    .action(async (named, target, options) => {
      process.exitCode = await (await import("./arrange.ts")).move(process, named, target, options);
    });
  layout
    .command("resize <split> <ratio>")
    .description("the share of a split's first half, 0.05 to 0.95")
    .option("--workspace <owner/name>", "which workspace")
    .option("--url <url>", "Backplane's address (default: BASE_URL, else http://localhost:8790)")
    .option("--allow-http", "allow an address without https on another machine")
    .option("--json", "print JSON")
    .action(async (split, ratio, options) => {
      process.exitCode = await (await import("./arrange.ts")).resize(process, split, number(ratio), options);
    });
  add("undo", "take the last change back", layout).action(async (options) => {
    process.exitCode = await (await import("./arrange.ts")).undo(process, options);
  });
}

function addDriving(add: Add): void {
  add("navigate <panel> <address>", "load a page in a web view").action(async (named, url, options) => {
    process.exitCode = await (await import("./drive.ts")).navigate(process, named, url, options);
  });
  add("refresh <panel>", "load the page of a web view again").action(async (named, options) => {
    process.exitCode = await (await import("./drive.ts")).refresh(process, named, options);
  });
  add("show <panel>", "what a web view shows: address, title, scroll").action(async (named, options) => {
    process.exitCode = await (await import("./drive.ts")).show(process, named, options);
  });
  add("proxy <panel> <on|off>", "load the pages of a web view through the proxy, or not").action(
    async (named, state, options) => {
      process.exitCode = await (await import("./drive.ts")).setProxy(process, named, one(state, "on", "off"), options);
    },
  );
  add("header <panel> <show|hide>", "the bar of a web view or a sandbox").action(async (named, state, options) => {
    process.exitCode = await (await import("./drive.ts")).setHeader(
      process,
      named,
      one(state, "show", "hide"),
      options,
    );
  });
  add("eval <panel> [code]", "run JavaScript in a sandbox; without code, or with -, what is piped in")
    .option("--timeout <ms>", "how long it may take (default: 5000)", number)
    .action(async (named, code, options) => {
      process.exitCode = await (await import("./drive.ts")).evaluate(process, named, code, options);
    });
  add("reset <panel>", "a new, empty sandbox").action(async (named, options) => {
    process.exitCode = await (await import("./drive.ts")).reset(process, named, options);
  });
  add("screenshot [panel]", "a picture of a panel, or of the workspace; kept in the project's screenshots/")
    .addOption(new Option("--scope <scope>", "what is on it").choices(["panel", "workspace", "screen"]))
    .addOption(
      new Option("--method <method>", "html2canvas needs no sharing; sandboxes only").choices([
        "element-capture",
        "html2canvas",
      ]),
    )
    .option("--reason <text>", "what the person who is asked to share reads")
    .option("--wait <seconds>", "how long to wait for them (default: 10)", number)
    .option("--max <pixels>", "the longer side at most (default: 1568; 0: as it is)", number)
    .option("--name <name>", "of the file")
    .option("--out <file>", "save it here, too")
    .action(async (named, options) => {
      process.exitCode = await (await import("./screenshot.ts")).screenshot(process, named, options);
    });
}

function addTelling(add: Add): void {
  add("log [message]", "print the workspace's log, or write a line into it")
    .option("--follow", "go on until Ctrl-C")
    .addOption(
      new Option("--level <level>", "of the line, or the least to print").choices(["debug", "info", "warn", "error"]),
    )
    .option("--source <name>", "who says it (default: cli), or only theirs")
    .action(async (message, options) => {
      const log = await import("./log.ts");
      process.exitCode = await (message === undefined
        ? log.readLog(process, options)
        : log.writeLog(process, message, options));
    });
  add("mcp", "serve these verbs to an AI client over MCP, on standard input and output").action(async (options) => {
    process.exitCode = await (await import("./mcp.ts")).serveMcp(process, options);
  });
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError("Use a number.");
  return value;
}

function one<Word extends string>(text: string, ...words: Word[]): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new InvalidArgumentError(`Use ${words.join(" or ")}.`);
  return found;
}
