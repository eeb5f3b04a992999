import {
  CallPanelTool,
  OpenPanelTools,
  type OpenPanelTools as OpenTools,
  PANEL_PACKAGE_LIMITS,
  type PackagePanelState,
  PanelToolResult,
  type Tab,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import { expectTab } from "../layout/expect.ts";
import { leavesOf, type Root } from "../layout/tree.ts";
import { BROWSER_PROBLEMS, browserProblem, invalidField } from "../problems.ts";
import { about, aboutReading, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { Services } from "../services.ts";
import { nameOf } from "../workspaces/tab-list.ts";
import type { InstalledPanels } from "./panel-packages.ts";

const TOOLS = `${CURRENT}/packages/tools`;

type Given = Pick<Services, "workspaces" | "live" | "log"> & { installed: InstalledPanels };

/** …/current/packages/tools: what panels from packages offer to agents, while a browser shows them. */
export function servePackageTools(app: App, { workspaces, live, log, installed }: Given): void {
  /** None while nobody has allowed the panel, or it is gone. */
  async function toolsOf(workspaceId: string, tab: Tab): Promise<OpenTools["tools"]> {
    const { package: identifier, draft = false } = tab.panelState as PackagePanelState;
    if (panelOf(tab)?.kind !== "package" || identifier === undefined) return [];
    try {
      const { panel } = await installed.shown({ workspaceId, identifier }, draft);
      return panel.tools.map((tool) => ({ tabId: tab.id, panel: nameOf(tab), ...tool }));
    } catch (error) {
      if (error instanceof Problem) return [];
      throw error;
    }
  }

  app.get(
    TOOLS,
    {
      ...READING,
      schema: {
        ...aboutReading("Tools of open panels", "Those of panels from packages that a browser shows."),
        response: { 200: OpenPanelTools },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      if ((await live.browsers(workspace.id)).length === 0) return { tools: [] };
      const found = await Promise.all(tabsOf(workspace.layout.root).map((tab) => toolsOf(workspace.id, tab)));
      return { tools: found.flat() };
    },
  );

  app.post(
    TOOLS,
    {
      ...CHANGING,
      schema: {
        ...about("Call a tool of an open panel", "The panel does what it may do itself, and nothing else.", [
          ...BROWSER_PROBLEMS,
        ]),
        body: CallPanelTool,
        response: { 200: PanelToolResult },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const { tabId, name, input = {} } = request.body;
      const { tab } = expectTab(workspace.layout.root, tabId);
      if (!(await toolsOf(workspace.id, tab)).some((tool) => tool.name === name))
        throw invalidField("/name", "is not a tool of this panel");
      log.note(workspace.id, "info", "panels", `${caller.credentialName} called ${name} of ${nameOf(tab)}`);
      const order = { kind: "panel-call" as const, tabId, name, input };
      const answered = await live.ask(workspace.id, order, { timeoutMs: PANEL_PACKAGE_LIMITS.toolTimeoutMs + 1_000 });
      if (!answered.ok) throw browserProblem(answered);
      return { result: answered.value };
    },
  );
}

const tabsOf = (root: Root): Tab[] => [...leavesOf(root)].flatMap(({ tabs }) => tabs);
