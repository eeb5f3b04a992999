import { type ListedTab, listPanels, listWorkspaces, type WorkspaceNode } from "@backplane/sdk";
import { isRefusal, refuse } from "../refusal.ts";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain } from "../text.ts";
import { findTab } from "./find-tab.ts";
import { type OpenFlags, type PanelFlags, withPanels, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

export const list = (host: Host, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, name, answer, out }) => {
    const [tabs, probe] = await Promise.all([workspace.tabs(), workspace.probe()]);
    answer({ workspace: name, page: workspace.page, ...probe, tabs }, () => {
      const open = probe.browser_connected ? "open in a browser" : "no browser has it open";
      out.line(`${out.paint("strong", name)}: ${countOf(tabs.length, "panel")}, ${open}`);
      out.line(`  ${workspace.page}`);
      const rows = tabs.map((tab) => [
        tab.active ? SHAPES.ok : SHAPES.off,
        tab.panelId,
        cut(plain(tab.name)),
        tab.kind,
        cut(plain(holdsOf(tab))),
        tab.drivenBy === undefined ? "" : `driven by ${plain(tab.drivenBy)}`,
      ]);
      for (const line of table(rows)) out.line(line);
      if (tabs.length === 0) out.hint("  Open one with: backplane panel open webview --address https://example.org");
    });
    return undefined;
  });

export const workspaces = (host: Host, options: PanelFlags): Promise<number> =>
  withPanels(host, options, async ({ session, out, answer }) => {
    const all = await listWorkspaces(session);
    answer({ workspaces: all }, () => {
      if (all.length === 0) out.hint("No workspaces yet. backplane panel open creates one.");
      const rows = all.map((one) => [
        one.browserConnected ? SHAPES.ok : SHAPES.off,
        `${one.owner}/${one.repo}`,
        countOf(one.tabs, "panel"),
        one.updatedAt.slice(0, 16).replace("T", " "),
      ]);
      for (const line of table(rows)) out.line(line);
    });
    return undefined;
  });

export const catalog = (host: Host, options: PanelFlags): Promise<number> =>
  withPanels(host, options, async ({ session, out, answer }) => {
    const panels = await listPanels(session);
    answer({ panels }, () => {
      for (const category of new Set(panels.map((panel) => panel.category))) {
        out.line(out.paint("strong", category));
        const rows = panels
          .filter((panel) => panel.category === category)
          .map(({ kind, name, description }) => [SHAPES.ok, kind, name, description]);
        for (const line of table(rows)) out.line(line);
      }
    });
    return undefined;
  });

export const open = (host: Host, kind: string, options: OpenFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const state = stateOf(options);
    if (state === undefined)
      return refuse("bad-state", "--state is not a JSON object.", 'Use one such as \'{"url":"https://example.org"}\'');
    const panel = {
      panelType: kind,
      displayName: options.name,
      initialState: Object.keys(state).length > 0 ? state : undefined,
      reuse: options.reuse,
      background: options.background,
    };
    let panelId = options.panel;
    if (panelId !== undefined) {
      const tab = await findTab(workspace, panelId);
      // An empty panel has no tab to be found by.
      if (isRefusal(tab) && !leavesOf((await workspace.layout()).root).includes(panelId)) return tab;
      panelId = isRefusal(tab) ? panelId : tab.panelId;
    }
    const beside = options.right ? "horizontal" : options.below ? "vertical" : undefined;
    const [first = ""] = beside && panelId === undefined ? leavesOf((await workspace.layout()).root) : [];
    const opened = beside
      ? await workspace.split({ ...panel, panelId: panelId ?? first, direction: beside })
      : await workspace.openTab({ ...panel, panelId });
    answer(opened, () => {
      const where = "newPanelId" in opened ? opened.newPanelId : opened.panelId;
      out.line(`${out.paint("ok", SHAPES.ok)} ${opened.reused ? "Shown" : "Opened"} in panel ${where}`);
      out.line(`  ${workspace.page}`);
    });
    return undefined;
  });

export const close = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const tab = await findTab(workspace, named);
    if (isRefusal(tab)) return tab;
    await workspace.closeTab({ tabId: tab.tabId, panelId: tab.panelId });
    answer({ tabId: tab.tabId, panelId: tab.panelId }, () =>
      out.hint(`${out.paint("ok", SHAPES.ok)} Closed ${plain(tab.name)}. Undo with: backplane panel layout undo`),
    );
    return undefined;
  });

export const focus = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const tab = await findTab(workspace, named);
    if (isRefusal(tab)) return tab;
    await workspace.showTab({ tabId: tab.tabId, panelId: tab.panelId });
    answer({ tabId: tab.tabId, panelId: tab.panelId }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} ${plain(tab.name)} is in front.`),
    );
    return undefined;
  });

export const layout = (host: Host, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const [{ revision, root }, tabs] = await Promise.all([workspace.layout(), workspace.tabs()]);
    const names = new Map(tabs.map(({ tabId, name }) => [tabId, name]));
    answer({ revision, root }, () => {
      for (const line of linesOf(root, names)) out.line(line);
    });
    return undefined;
  });

export const move = (
  host: Host,
  named: string,
  target: string,
  options: PanelFlags & { split?: string },
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const tab = await findTab(workspace, named);
    if (isRefusal(tab)) return tab;
    const to = await findTab(workspace, target);
    if (isRefusal(to)) return to;
    const beside = SIDES[options.split ?? ""];
    await workspace.moveTab({ tabId: tab.tabId, sourcePanelId: tab.panelId, targetPanelId: to.panelId, ...beside });
    answer({ tabId: tab.tabId, panelId: to.panelId }, () => out.line(`${out.paint("ok", SHAPES.ok)} Moved.`));
    return undefined;
  });

export const resize = (host: Host, splitId: string, ratio: number, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    await workspace.resizeSplit({ splitId, ratio });
    answer({ splitId, ratio }, () => out.line(`${out.paint("ok", SHAPES.ok)} Resized.`));
    return undefined;
  });

export const undo = (host: Host, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    await workspace.undo();
    answer({}, () => out.line(`${out.paint("ok", SHAPES.ok)} Undone.`));
    return undefined;
  });

const SIDES: Record<string, { direction: "horizontal" | "vertical"; position: "before" | "after" } | undefined> = {
  left: { direction: "horizontal", position: "before" },
  right: { direction: "horizontal", position: "after" },
  above: { direction: "vertical", position: "before" },
  below: { direction: "vertical", position: "after" },
};

function stateOf({ state, address, file, proxy }: OpenFlags): Record<string, never> | undefined {
  try {
    const given: unknown = state === undefined ? {} : JSON.parse(state);
    if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
    return {
      ...given,
      ...(address === undefined ? {} : { url: address }),
      ...(file === undefined ? {} : { path: file }),
      ...(proxy === true ? { proxyEnabled: true } : {}),
    } as Record<string, never>;
  } catch {
    return undefined;
  }
}

/** A long name must not push the rest of a table out of the window. */
const MAX_CELL = 48;
const cut = (text: string): string => (text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1).trimEnd()}…` : text);

const leavesOf = (node: WorkspaceNode): string[] =>
  node.type === "leaf" ? [node.id] : [...leavesOf(node.first), ...leavesOf(node.second)];

/** The page or file that the tab shows. */
function holdsOf({ panelState: { url, path } }: ListedTab): string {
  const held = typeof url === "string" ? url : path;
  return typeof held === "string" ? held : "";
}

/** The tree, indented by two spaces for every split. */
function linesOf(node: WorkspaceNode, names: ReadonlyMap<string, string>, depth = 0): string[] {
  const indent = "  ".repeat(depth);
  if (node.type === "leaf") {
    const tabs = node.tabs.map(
      ({ id, displayName, panelType }) =>
        `${id === node.activeTabId ? SHAPES.ok : SHAPES.off} ${plain(names.get(id) ?? displayName ?? panelType)}`,
    );
    return [`${indent}panel ${node.id}`, ...tabs.map((tab) => `${indent}  ${tab}`)];
  }
  const sides = node.direction === "horizontal" ? "side by side" : "one above the other";
  const share = `${Math.round(node.ratio * 100)} : ${Math.round((1 - node.ratio) * 100)}`;
  return [
    `${indent}split ${node.id}, ${sides}, ${share}`,
    ...linesOf(node.first, names, depth + 1),
    ...linesOf(node.second, names, depth + 1),
  ];
}
