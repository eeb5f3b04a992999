import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Argument, type Command, Option } from "commander";
import { action, number } from "../command.ts";
import { type Add, workspaceCommands } from "../workspace-command.ts";

const HELP = `
These commands need backplane login, or an API key with the scope panels in BACKPLANE_TOKEN.
The workspace is --workspace, or BACKPLANE_WORKSPACE, or your own "main". The first command creates it.
A <panel> is the id of a panel, the id of a tab, or the name of a tab: backplane panel list shows them.`;

/** `backplane panel`: drives the panels of a workspace, as any program can with the sdk. */
export function addPanelCommand(program: Command): void {
  const panel = program
    .command("panel")
    .description("the panels of a workspace: open them, load pages, run code, take screenshots")
    .addHelpText("after", HELP);
  const add = workspaceCommands(panel);

  addLists(add);
  addArranging(add);
  addLayout(add, panel.command("layout").description("how the panels are arranged"));
  addDriving(add);
  addScreenshot(add);
  addLog(add);
  addAuthoring(add, panel);
  addFiles(add, panel.command("files").description("the files of a workspace's project"));
  add("mcp", "serve these commands to an AI client over MCP, on standard input and output").action(
    action(async () => (await import("./mcp.ts")).serveMcp),
  );
}

function addLists(add: Add): void {
  add("list", "list the open panels").action(action(async () => (await import("./arrange.ts")).list));
  add("workspaces", "list your workspaces, those of your organisations, and those shared with you").action(
    action(async () => (await import("./arrange.ts")).workspaces),
  );
  add("rename <workspace> <name>", "rename a workspace, such as owner/rover").action(
    action(async () => (await import("./manage.ts")).rename),
  );
  add("delete <workspace>", "delete a workspace with its panels, log and files; this cannot be undone")
    .option("--yes", "delete it")
    .action(action(async () => (await import("./manage.ts")).remove));
  add("catalog", "list all kinds of panels").action(action(async () => (await import("./arrange.ts")).catalog));
  add("lessons [file]", "list the lessons of the project and how far you are, or the steps of one").action(
    action(async () => (await import("./lessons.ts")).lessons),
  );
}

function addArranging(add: Add): void {
  add("open <kind>", "open a panel from the catalog, such as webview or sandbox")
    .option("--name <name>", "the name on its tab, and for later commands")
    .option("--address <url>", "the page that a web view loads")
    .option("--file <path>", "the file of the project that an editor, viewer or script runner opens")
    .option("--proxy", "load the page through the proxy")
    .option("--state <json>", "the initial state of the panel")
    .option("--panel <panel>", "open it in or beside this panel (default: the first one)")
    .option("--right", "in a new panel on the right")
    .option("--below", "in a new panel below")
    .option("--reuse", "if a panel with this name is open, show that one")
    .option("--background", "behind the tab that is in front")
    .action(action(async () => (await import("./arrange.ts")).open));
  add("close <panel>", "close a tab").action(action(async () => (await import("./arrange.ts")).close));
  add("focus <panel>", "bring a tab to the front of its panel").action(
    action(async () => (await import("./arrange.ts")).focus),
  );
}

function addLayout(add: Add, layout: Command): void {
  add("show", "print the tree of splits and panels", layout).action(
    action(async () => (await import("./arrange.ts")).layout),
  );
  add("move <panel> <target>", "move a tab into another panel", layout)
    .addOption(new Option("--split <side>", "into a new panel beside it").choices(["left", "right", "above", "below"]))
    .action(action(async () => (await import("./arrange.ts")).move));
  const { minRatio } = PANELS_LIMITS;
  add("resize", `set the share of the first half of a split, ${minRatio} to ${1 - minRatio}`, layout)
    .argument("<split>")
    .argument("<ratio>", "", number({ min: minRatio, max: 1 - minRatio, isWhole: false }))
    .action(action(async () => (await import("./arrange.ts")).resize));
  add("undo", "undo the last change", layout).action(action(async () => (await import("./arrange.ts")).undo));
}

function addDriving(add: Add): void {
  add("navigate <panel> <address>", "load a page in a web view").action(
    action(async () => (await import("./drive.ts")).navigate),
  );
  add("refresh <panel>", "reload the page of a web view").action(
    action(async () => (await import("./drive.ts")).refresh),
  );
  add("show <panel>", "print what a web view shows: address, title, scroll position").action(
    action(async () => (await import("./drive.ts")).show),
  );
  add("proxy <panel>", "load the pages of a web view through the proxy, or directly")
    .addArgument(new Argument("<state>").choices(["on", "off"]))
    .action(action(async () => (await import("./drive.ts")).setProxy));
  add("header <panel>", "show or hide the header of a web view or sandbox")
    .addArgument(new Argument("<state>").choices(["show", "hide"]))
    .action(action(async () => (await import("./drive.ts")).setHeader));
  add("eval <panel> [code]", "run JavaScript in a sandbox; without code, or with -, reads standard input")
    .option("--timeout <ms>", "how long it may run (default: 5000)", number())
    .action(action(async () => (await import("./drive.ts")).evaluate));
  add("eval-result <id>", "print the result of code that eval queued").action(
    action(async () => (await import("./drive.ts")).evalResult),
  );
  add("reset <panel>", "replace a sandbox with a new, empty one").action(
    action(async () => (await import("./drive.ts")).reset),
  );
}

function addScreenshot(add: Add): void {
  add("screenshot [panel]", "take a screenshot of a panel or the workspace; stored in the project's screenshots/")
    .addOption(new Option("--scope <scope>", "what it shows").choices(["panel", "workspace", "screen"]))
    .addOption(
      new Option("--method <method>", "html2canvas needs no sharing; sandboxes only").choices([
        "element-capture",
        "html2canvas",
      ]),
    )
    .option("--reason <text>", "shown to the person who is asked to share the screen")
    .option("--wait <seconds>", "how long to wait for them (default: 10)", number({ min: 0, isWhole: false }))
    .option("--max <pixels>", "the longer side at most (default: 1568; 0: original size)", number({ min: 0 }))
    .option("--name <name>", "the name of the file")
    .option("--out <file>", "also save it here")
    .addOption(new Option("--to <place>", "also add it to the screenshots of backplane viewer").choices(["viewer"]))
    .action(action(async () => (await import("./screenshot.ts")).screenshot));
}

/** A panel of one's own, as a package. */
function addAuthoring(add: Add, panel: Command): void {
  panel
    .command("new <folder>")
    .description("write a new panel of your own, as a package to edit, try and publish")
    .option("--identifier <identifier>", "such as com.example.gauge (default: com.example. and the folder's name)")
    .option("--title <title>", "its name in the catalog (default: from the folder's name)")
    .option("--author <name>", "your name (default: that of this account)")
    .option("--contact <address>", "your web or email address")
    .option("--json", "print JSON")
    .action(action(async () => (await import("./authoring/new-panel.ts")).newPanel));
  add("dev [folder]", "show a panel from a folder in a workspace, again whenever a file of it changes").action(
    action(async () => (await import("./authoring/dev-panel.ts")).devPanel),
  );
  panel
    .command("pack [folder]")
    .description("check a panel and pack it into an archive")
    .option("--out <file>", "where to write it (default: the folder's name and .zip, here)")
    .option("--json", "print JSON")
    .action(action(async () => (await import("./authoring/pack-panel.ts")).packPanel));
  add("publish [folder]", "check a panel and publish it in the registry")
    .option("--owner <name>", "an organisation of yours that owns it, if it is new")
    .option("--private", "only its owner sees it, if it is new")
    .action(action(async () => (await import("./authoring/pack-panel.ts")).publishPanel));
}

function addFiles(add: Add, files: Command): void {
  add("ls", "list the files", files).action(action(async () => (await import("./files.ts")).listFiles));
  add("put <file...>", "upload files from this machine", files)
    .option("--to <folder>", "into this folder of the project")
    .option("--replace", "replace files of the same name")
    .action(action(async () => (await import("./files.ts")).putFiles));
  add("get <path>", "download a file", files)
    .option("--out <file>", "where to save it (default: under its name, here); - for standard output")
    .option("--force", "replace a file on this machine")
    .action(action(async () => (await import("./files.ts")).getFile));
}

function addLog(add: Add): void {
  add("log [message]", "print the log of the workspace, or write a line to it")
    .option("--follow", "print new lines until Ctrl-C")
    .addOption(
      new Option("--level <level>", "the level of the line, or the lowest to print").choices([
        "debug",
        "info",
        "warn",
        "error",
      ]),
    )
    .option("--source <name>", "the source of the line (default: cli), or print only this source")
    .action(action(async () => (await import("./log.ts")).log));
}
