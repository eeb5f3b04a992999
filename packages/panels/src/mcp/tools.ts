import {
  EditSchematic,
  LOG_LEVELS,
  PANEL_PACKAGE_LIMITS,
  PANELS_LIMITS,
  SCHEMATIC_PICTURE,
  type SchematicView,
} from "@backplane/contract/panels";
import {
  currentOf,
  toolInput as fields,
  workspaceTool as tool,
  type WorkspaceCalls,
  type WorkspaceTools,
} from "@backplane/kit/mcp";
import { Type } from "typebox";
import { expectPath } from "../files/file-path.ts";
import { PANEL_ADVICE } from "./faults.ts";

const text = (description: string, maxLength: number = PANELS_LIMITS.maxUrlLength) =>
  Type.String({ minLength: 1, maxLength, description });
const panelId = Type.String({ description: "The id of a panel, from panel_list" });
const tabId = Type.String({ description: "The id of a tab, from panel_list" });
const direction = Type.Optional(
  Type.Enum(["horizontal", "vertical"], { description: "Side by side, or one above the other" }),
);

const panelsOf = (kind: "webview" | "sandbox", { owner, repo }: WorkspaceCalls): string =>
  `/api/panels/${kind}/${owner}/${repo}`;

const schematicPath = Type.String({ minLength: 1, maxLength: 500, description: "A .kicad_sch file of the project" });
const schematicAt = (workspace: WorkspaceCalls, path: string, place = "schematics"): string =>
  `${currentOf(workspace)}/${place}/${expectPath(path).parts.map(encodeURIComponent).join("/")}`;
const readSchematic = async (workspace: WorkspaceCalls, path: string): Promise<SchematicView> =>
  (await workspace.call("GET", schematicAt(workspace, path))) as SchematicView;

/** What `backplane panel` does, for agents. */
export const PANEL_TOOLS: WorkspaceTools = {
  begin: "panel_list",
  advice: PANEL_ADVICE,
  tools: [
    tool(
      "panel_list",
      "List panels",
      "Lists the open panels of the workspace, with their ids, kinds, names and state, and whether a browser shows them.",
      fields({}),
      async (workspace) => {
        const current = currentOf(workspace);
        const [probe, tabs] = await Promise.all([
          workspace.call("GET", `${current}/probe`),
          workspace.call("GET", `${current}/tabs`),
        ]);
        return { page: workspace.page, ...(probe as object), ...(tabs as object) };
      },
      { readOnly: true },
    ),
    tool(
      "panel_layout",
      "Show layout",
      "Returns the tree of splits and panels.",
      fields({}),
      (workspace) => workspace.call("GET", currentOf(workspace)),
      { readOnly: true },
    ),
    tool(
      "panel_open",
      "Open a panel",
      "Opens a panel as a tab, or with `direction` in a new panel beside another. Kinds are webview (state {url}), sandbox, system-log, code-editor (state {path}), script-runner (state {path}), 3d-viewer (state {path}), board-viewer (state {path}).",
      fields({
        panelType: text("Kind or identifier from the catalog", 120),
        displayName: Type.Optional(text("The name on its tab", PANELS_LIMITS.maxNameLength)),
        initialState: Type.Optional(
          Type.Record(Type.String(), Type.Any(), { description: "Its initial state; for a web view {url}" }),
        ),
        panelId: Type.Optional(panelId),
        direction,
        reuse: Type.Optional(Type.Boolean({ description: "If a panel with this name is open, show that one" })),
      }),
      (workspace, panel) =>
        workspace.call("POST", `${currentOf(workspace)}/${panel.direction === undefined ? "tabs" : "splits"}`, panel),
    ),
    tool(
      "panel_focus",
      "Show a tab",
      "Puts a tab in front of the others in its panel. Calls to a panel go to the tab in front.",
      fields({ tabId }),
      (workspace, which) => workspace.call("PATCH", `${currentOf(workspace)}/tabs`, { ...which, active: true }),
    ),
    tool(
      "panel_move",
      "Move a tab",
      "Moves a tab into another panel, or with `direction` into a new panel beside it.",
      fields({ tabId, targetPanelId: panelId, direction, position: Type.Optional(Type.Enum(["before", "after"])) }),
      (workspace, move) => workspace.call("POST", `${currentOf(workspace)}/moves`, move),
    ),
    tool(
      "panel_close",
      "Close a tab",
      "Closes one tab.",
      fields({ tabId }),
      (workspace, which) => workspace.call("DELETE", `${currentOf(workspace)}/tabs`, which),
      { destructive: true },
    ),
    tool("panel_undo", "Undo", "Undoes the last change of the layout.", fields({}), (workspace) =>
      workspace.call("POST", `${currentOf(workspace)}/undo`, {}),
    ),
    tool(
      "panel_navigate",
      "Load a page",
      "Loads an address in a web view.",
      fields({ panelId, url: text("http or https") }),
      (workspace, input) => drive(workspace, "webview", { ...input, action: "navigate" }),
    ),
    tool(
      "panel_refresh",
      "Reload a page",
      "Loads the page of a web view again.",
      fields({ panelId }),
      (workspace, input) => drive(workspace, "webview", { ...input, action: "refresh" }),
    ),
    tool(
      "panel_webview",
      "Read a web view",
      "Returns what a web view shows: address, title, scroll position, and why it is blank if it is.",
      fields({ panelId }),
      (workspace, input) => workspace.call("GET", `${panelsOf("webview", workspace)}?${new URLSearchParams(input)}`),
      { readOnly: true },
    ),
    tool(
      "panel_proxy",
      "Switch the proxy",
      "Loads the pages of a web view through Backplane, or directly. Use it for sites that stay blank because they forbid framing.",
      fields({ panelId, enabled: Type.Boolean() }),
      (workspace, input) => drive(workspace, "webview", { ...input, action: "setProxyEnabled" }),
    ),
    tool(
      "panel_eval",
      "Run JavaScript",
      "Runs JavaScript in a sandbox panel, or in a panel from a package that people let run code, as a console would: top-level await, declarations persist, the last expression is the result. The frame has a DOM but no network; in a sandbox, plot({ name: [1, 2] }, { title }) draws a chart.",
      fields({
        panelId,
        code: text("JavaScript", PANELS_LIMITS.maxCodeBytes),
        timeoutMs: Type.Optional(Type.Integer({ minimum: 50, maximum: PANELS_LIMITS.maxEvalTimeoutMs })),
      }),
      (workspace, input) =>
        drive(workspace, "sandbox", { ...input, action: "eval" }, input.timeoutMs ?? PANELS_LIMITS.evalTimeoutMs),
    ),
    tool(
      "panel_reset",
      "Reset a sandbox",
      "Replaces a sandbox with a new, empty one. Also ends an endless loop.",
      fields({ panelId }),
      (workspace, input) => drive(workspace, "sandbox", { ...input, action: "reset" }),
    ),
    tool(
      "panel_tools",
      "List tools of panels",
      "Lists the tools that open panels from packages offer, with the JSON Schema of their input. They are there while a browser shows the panel.",
      fields({}),
      (workspace) => workspace.call("GET", `${currentOf(workspace)}/packages/tools`),
      { readOnly: true },
    ),
    tool(
      "panel_call",
      "Call a tool of a panel",
      "Calls a tool of an open panel, from panel_tools.",
      fields({
        tabId,
        name: text("The name of the tool", 40),
        input: Type.Optional(Type.Record(Type.String(), Type.Any(), { description: "As its schema says" })),
      }),
      (workspace, input) =>
        workspace.call("POST", `${currentOf(workspace)}/packages/tools`, input, PANEL_PACKAGE_LIMITS.toolTimeoutMs),
    ),
    tool(
      "panel_screenshot",
      "Take a screenshot",
      "Takes a screenshot of a panel, the workspace or the screen. If nobody shares the screen yet, the person is asked and sees your reason. On sharing-required, tell them and try again.",
      fields({
        panelId: Type.Optional(panelId),
        scope: Type.Optional(Type.Enum(["panel", "workspace", "screen"])),
        method: Type.Optional(Type.Enum(["element-capture", "html2canvas"])),
        reason: text("Why, in one sentence. The person reads it.", PANELS_LIMITS.maxReasonLength),
        waitForSharing: Type.Optional(
          Type.Number({ minimum: 0, maximum: PANELS_LIMITS.maxWaitForSharingS, description: "Seconds; default 10" }),
        ),
        maxDimension: Type.Optional(
          Type.Integer({ minimum: 0, description: "Maximum length of the longer side in pixels; default 1568" }),
        ),
      }),
      (workspace, input) => {
        const { defaultWaitForSharingS, shotTimeoutMs } = PANELS_LIMITS;
        const waitMs = (input.waitForSharing ?? defaultWaitForSharingS) * 1_000 + shotTimeoutMs;
        return workspace.call("PATCH", `${currentOf(workspace)}/screenshot`, { ...input, inline: true }, waitMs);
      },
      { readOnly: true },
    ),
    tool(
      "schematic_read",
      "Read a schematic",
      "Returns the symbols with their pins and places, and the nets, of a KiCad schematic of the project with all its sheets. `etag` is needed to change it.",
      fields({ path: schematicPath }),
      async (workspace, { path }) => {
        const { findings: _, ...view } = await readSchematic(workspace, path);
        return view;
      },
      { readOnly: true },
    ),
    tool(
      "schematic_check",
      "Check a schematic",
      "Checks a KiCad schematic of the project by KiCad's default electrical rules, and returns what it finds, with places.",
      fields({ path: schematicPath }),
      async (workspace, { path }) => {
        const { etag, findings, truncated } = await readSchematic(workspace, path);
        return { etag, findings, truncated };
      },
      { readOnly: true },
    ),
    tool(
      "schematic_picture",
      "Draw a schematic",
      "Returns a picture of one sheet of a KiCad schematic of the project, to look at what was drawn.",
      fields({
        path: schematicPath,
        sheet: Type.Optional(text("The names of the sheets down to it, from schematic_read; / is the root", 1_000)),
        pixels: Type.Optional(
          Type.Integer({
            ...{ minimum: SCHEMATIC_PICTURE.minPixels, maximum: SCHEMATIC_PICTURE.maxPixels },
            description: `Of the longer side; default ${SCHEMATIC_PICTURE.defaultPixels}`,
          }),
        ),
      }),
      (workspace, { path, sheet = "/", pixels = SCHEMATIC_PICTURE.defaultPixels }) => {
        const query = new URLSearchParams({ inline: "true", sheet, pixels: String(pixels) });
        return workspace.call("GET", `${schematicAt(workspace, path, "schematic-pictures")}?${query}`);
      },
      { readOnly: true },
    ),
    tool(
      "schematic_edit",
      "Change a schematic",
      "Changes one sheet of a KiCad schematic: all edits are made in order, or none. Places are millimetres from the upper left corner; pins and wires belong on the grid of 1.27 mm. Symbols come from the sheet, from a library file of the project, or from a library package. When the file has changed since you read it, read it again.",
      fields({ path: schematicPath, ...EditSchematic.properties }),
      (workspace, { path, ...edit }) => workspace.call("POST", schematicAt(workspace, path), edit),
    ),
    tool(
      "panel_log",
      "Write to the log",
      "Writes a line to the workspace's log, which people read.",
      fields({
        message: text("One line", PANELS_LIMITS.maxLogMessageLength),
        level: Type.Optional(Type.Enum(LOG_LEVELS)),
      }),
      (workspace, input) =>
        workspace.call("POST", `${currentOf(workspace)}/log`, { entries: [{ ...input, source: "agent" }] }),
    ),
  ],
};

const drive = (
  workspace: WorkspaceCalls,
  kind: "webview" | "sandbox",
  action: object,
  waitMs?: number,
): Promise<unknown> => workspace.call("PATCH", panelsOf(kind, workspace), action, waitMs);
