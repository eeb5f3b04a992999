import type { Screenshot, ScreenshotOptions, Workspace } from "@backplane/sdk";

type Properties = Record<string, object>;

/** One verb: what an AI client reads of it, and what it does. */
export type PanelTool = {
  name: string;
  title: string;
  description: string;
  properties: Properties;
  required: readonly string[];
  readOnly: boolean;
  run(workspace: Workspace, input: object): Promise<unknown>;
};

const panelId = { type: "string", description: "The id of a panel, as panel_list gives it" };
const tabId = { type: "string", description: "The id of a tab, as panel_list gives it" };
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
    "The panels that are open in the workspace, with their ids, kinds, names and state, and whether a browser shows them.",
    {},
    async (workspace) => ({ page: workspace.page, ...(await workspace.probe()), tabs: await workspace.tabs() }),
    { readOnly: true },
  ),
  tool("panel_layout", "Show layout", "The tree of splits and panels.", {}, (workspace) => workspace.layout(), {
    readOnly: true,
  }),
  tool(
    "panel_open",
    "Open a panel",
    "Opens a panel as a tab, or with `direction` in a new panel beside another. Kinds are webview (state {url}), sandbox, system-log, code-editor (state {path}), script-runner (state {path}), 3d-viewer (state {path}).",
    {
      panelType: text("Kind or identifier of the catalog", 120),
      displayName: text("What its tab says", 120),
      initialState: { type: "object", description: "Its first state; for a web view {url}" },
      panelId,
      direction,
      reuse: { type: "boolean", description: "Show the one of this name that is open already" },
    },
    (workspace, { direction: side, ...panel }: Opening) =>
      side === undefined ? workspace.openTab(panel) : workspace.split({ ...panel, direction: side }),
    { required: ["panelType"] },
  ),
  tool(
    "panel_focus",
    "Show a tab",
    "Puts a tab in front of the others in its panel. What drives a panel drives the tab in front of it.",
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
  tool("panel_undo", "Undo", "Takes the last change of the layout back.", {}, (workspace) => workspace.undo()),
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
    "What a web view shows now: address, title, scroll, and why it is blank if it is.",
    { panelId },
    (workspace, input: OnePanel) => workspace.webview(input.panelId),
    { readOnly: true },
  ),
  tool(
    "panel_proxy",
    "Switch the proxy",
    "Loads the pages of a web view through Backplane, or directly. For sites that stay blank because they forbid framing.",
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
    "A new, empty sandbox; ends an endless loop.",
    { panelId },
    (workspace, input: OnePanel) => workspace.reset(input.panelId),
  ),
  tool(
    "panel_screenshot",
    "Take a screenshot",
    "A picture of a panel, the workspace or the screen. If nobody shares yet, the person is asked, with your reason; on sharing-required tell them and try again.",
    {
      panelId,
      scope: { type: "string", enum: ["panel", "workspace", "screen"] },
      method: { type: "string", enum: ["element-capture", "html2canvas"] },
      reason: text("Why, in one sentence: the person reads it", 300),
      waitForSharing: { type: "number", minimum: 0, maximum: 300, description: "Seconds; 10 unless given" },
      maxDimension: { type: "integer", minimum: 0, description: "The longer side at most; 1568 unless given" },
    },
    (workspace, input: ScreenshotOptions) => workspace.screenshot({ ...input, inline: true }),
    { required: ["reason"], readOnly: true },
  ),
  tool(
    "panel_log",
    "Write to the log",
    "Writes a line into the log that the workspace's people read.",
    { message: text("One line", 2_000), level: { type: "string", enum: ["debug", "info", "warn", "error"] } },
    (workspace, input: { message: string; level?: "debug" | "info" | "warn" | "error" }) =>
      workspace.log({ ...input, source: "agent" }),
    { required: ["message"] },
  ),
];

export const isScreenshot = (value: unknown): value is Screenshot =>
  typeof value === "object" && value !== null && "dataUrl" in value && "originalWidth" in value;
