import type { Screenshot, ScreenshotOptions, Workspace } from "@backplane/sdk";

type Properties = Record<string, object>;

/** One tool: what an AI client reads about it, and what it does. */
export type PanelTool = {
  name: string;
  title: string;
  description: string;
  properties: Properties;
  required: readonly string[];
  readOnly: boolean;
  run(workspace: Workspace, input: object): Promise<unknown>;
};

const panelId = { type: "string", description: "The id of a panel, from panel_list" };
const tabId = { type: "string", description: "The id of a tab, from panel_list" };
const text = (description: string, maxLength = 4_096) => ({ type: "string", minLength: 1, maxLength, description });
const direction = {
  type: "string",
  enum: ["horizontal", "vertical"],
  description: "Side by side, or one above the other",
};

const tool = <Input extends object>(
  name: string,
  title: string,
  description: string,
  properties: Properties,
  run: (workspace: Workspace, input: Input) => Promise<unknown>,
  { required = Object.keys(properties), readOnly = false }: { required?: readonly string[]; readOnly?: boolean } = {},
): PanelTool => ({
  ...{ name, title, description, properties, required, readOnly },
  // The client's input was checked against `properties` before.
  run: (workspace, input) => run(workspace, input as Input),
});

type OnePanel = { panelId: string };
type OneTab = { tabId: string };
type Opening = Omit<Parameters<Workspace["split"]>[0], "direction"> & { direction?: "horizontal" | "vertical" };

/** What `backplane panel` does, for agents. */
export const PANEL_TOOLS: readonly PanelTool[] = [
  tool(
    "panel_list",
    "List panels",
    "Lists the open panels of the workspace, with their ids, kinds, names and state, and whether a browser shows them.",
    {},
    async (workspace) => ({ page: workspace.page, ...(await workspace.probe()), tabs: await workspace.tabs() }),
    { readOnly: true },
  ),
  tool("panel_layout", "Show layout", "Returns the tree of splits and panels.", {}, (workspace) => workspace.layout(), {
    readOnly: true,
  }),
  tool(
    "panel_open",
    "Open a panel",
    "Opens a panel as a tab, or with `direction` in a new panel beside another. Kinds are webview (state {url}), sandbox, system-log, code-editor (state {path}), script-runner (state {path}), 3d-viewer (state {path}).",
    {
      panelType: text("Kind or identifier from the catalog", 120),
      displayName: text("The name on its tab", 120),
      initialState: { type: "object", description: "Its initial state; for a web view {url}" },
      panelId,
      direction,
      reuse: { type: "boolean", description: "If a panel with this name is open, show that one" },
    },
    (workspace, { direction: side, ...panel }: Opening) =>
      side === undefined ? workspace.openTab(panel) : workspace.split({ ...panel, direction: side }),
    { required: ["panelType"] },
  ),
  tool(
    "panel_focus",
    "Show a tab",
    "Puts a tab in front of the others in its panel. Calls to a panel go to the tab in front.",
    { tabId },
    (workspace, tab: OneTab) => workspace.showTab(tab),
  ),
  tool(
    "panel_move",
    "Move a tab",
    "Moves a tab into another panel, or with `direction` into a new panel beside it.",
    { tabId, targetPanelId: panelId, direction, position: { type: "string", enum: ["before", "after"] } },
    (workspace, move: Parameters<Workspace["moveTab"]>[0]) => workspace.moveTab(move),
    { required: ["tabId", "targetPanelId"] },
  ),
  tool("panel_close", "Close a tab", "Closes one tab.", { tabId }, (workspace, tab: OneTab) => workspace.closeTab(tab)),
  tool("panel_undo", "Undo", "Undoes the last change of the layout.", {}, (workspace) => workspace.undo()),
  tool(
    "panel_navigate",
    "Load a page",
    "Loads an address in a web view.",
    { panelId, url: text("http or https") },
    (workspace, { panelId: panel, url }: OnePanel & { url: string }) => workspace.navigate(panel, url),
  ),
  tool(
    "panel_refresh",
    "Reload a page",
    "Loads the page of a web view again.",
    { panelId },
    (workspace, input: OnePanel) => workspace.refresh(input.panelId),
  ),
  tool(
    "panel_webview",
    "Read a web view",
    "Returns what a web view shows: address, title, scroll position, and why it is blank if it is.",
    { panelId },
    (workspace, input: OnePanel) => workspace.webview(input.panelId),
    { readOnly: true },
  ),
  tool(
    "panel_proxy",
    "Switch the proxy",
    "Loads the pages of a web view through Backplane, or directly. Use it for sites that stay blank because they forbid framing.",
    { panelId, enabled: { type: "boolean" } },
    (workspace, input: OnePanel & { enabled: boolean }) => workspace.setProxyEnabled(input.panelId, input.enabled),
  ),
  tool(
    "panel_eval",
    "Run JavaScript",
    "Runs JavaScript in a sandbox panel, as a console would: top-level await, declarations persist, the last expression is the result. The frame has a DOM but no network.",
    { panelId, code: text("JavaScript", 524_288), timeoutMs: { type: "integer", minimum: 50, maximum: 60_000 } },
    (workspace, input: OnePanel & { code: string; timeoutMs?: number }) =>
      workspace.eval(input.panelId, input.code, { timeoutMs: input.timeoutMs }),
    { required: ["panelId", "code"] },
  ),
  tool(
    "panel_reset",
    "Reset a sandbox",
    "Replaces a sandbox by a new, empty one. Also ends an endless loop.",
    { panelId },
    (workspace, input: OnePanel) => workspace.reset(input.panelId),
  ),
  tool(
    "panel_screenshot",
    "Take a screenshot",
    "Takes a screenshot of a panel, the workspace or the screen. If nobody shares the screen yet, the person is asked and sees your reason. On sharing-required, tell them and try again.",
    {
      panelId,
      scope: { type: "string", enum: ["panel", "workspace", "screen"] },
      method: { type: "string", enum: ["element-capture", "html2canvas"] },
      reason: text("Why, in one sentence. The person reads it.", 300),
      waitForSharing: { type: "number", minimum: 0, maximum: 300, description: "Seconds; default 10" },
      maxDimension: {
        type: "integer",
        minimum: 0,
        description: "Maximum length of the longer side in pixels; default 1568",
      },
    },
    (workspace, input: ScreenshotOptions) => workspace.screenshot({ ...input, inline: true }),
    { required: ["reason"], readOnly: true },
  ),
  tool(
    "panel_log",
    "Write to the log",
    "Writes a line to the workspace's log, which people read.",
    { message: text("One line", 2_000), level: { type: "string", enum: ["debug", "info", "warn", "error"] } },
    (workspace, input: { message: string; level?: "debug" | "info" | "warn" | "error" }) =>
      workspace.log({ ...input, source: "agent" }),
    { required: ["message"] },
  ),
];

export const isScreenshot = (value: unknown): value is Screenshot =>
  typeof value === "object" && value !== null && "dataUrl" in value && "originalWidth" in value;
