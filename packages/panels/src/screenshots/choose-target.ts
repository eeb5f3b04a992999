import type { LayoutNode, ScreenshotMethod, ScreenshotRequest, ScreenshotScope } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import { expectLeaf, expectTab } from "../layout/expect.ts";
import { activeTabOf, type FoundTab } from "../layout/tree.ts";
import { invalidField } from "../problems.ts";
import { nameOf } from "../workspaces/tab-list.ts";

/** What a screenshot shows, and its name. */
export type Target = {
  scope: ScreenshotScope;
  method: ScreenshotMethod;
  tabId: string | null;
  /** For people. */
  title: string;
  /** For file names. */
  kind: string;
};

type Asked = Pick<ScreenshotRequest, "scope" | "method" | "panelId" | "tabId">;

const TITLES = { workspace: "the workspace", screen: "the screen" } as const;

/** 404 panel-unknown, tab-unknown; 409 not-rendered; 400 wrong-method; 422. */
export function chooseTarget(root: LayoutNode, asked: Asked): Target {
  const { panelId, tabId, method = "element-capture" } = asked;
  const isNamed = panelId !== undefined || tabId !== undefined;
  const scope = asked.scope ?? (isNamed ? "panel" : "workspace");
  if (scope !== "panel") {
    if (method === "html2canvas") throw sandboxOnly(`The scope "${scope}" needs the method element-capture.`);
    return { scope, method, tabId: null, title: TITLES[scope], kind: scope };
  }
  if (!isNamed) {
    throw invalidField("/panelId", 'is missing: the scope "panel" needs a panelId, a tabId or both');
  }
  const { leaf, tab } = find(root, panelId, tabId);
  const panel = panelOf(tab);
  if (method === "html2canvas" && panel?.kind !== "sandbox" && panel?.kind !== "package") {
    throw sandboxOnly(
      `The method html2canvas works on sandbox panels, and on panels from packages that draw themselves; this is "${nameOf(tab)}".`,
    );
  }
  if (leaf.activeTabId !== tab.id) {
    throw new Problem("not-rendered", {
      detail: `The tab "${tab.id}" is behind another one. Show it first: PATCH …/current/tabs {"panelId":"${leaf.id}","tabId":"${tab.id}","active":true}.`,
    });
  }
  return { scope, method, tabId: tab.id, title: nameOf(tab), kind: panel?.kind ?? "panel" };
}

function find(root: LayoutNode, panelId: string | undefined, tabId: string | undefined): FoundTab {
  if (tabId !== undefined) return expectTab(root, tabId, panelId);
  const leaf = expectLeaf(root, panelId ?? "");
  const tab = activeTabOf(leaf);
  if (!tab)
    throw new Problem("not-rendered", { detail: `Panel ${leaf.id} shows no tab. Open one: POST …/current/tabs.` });
  return { leaf, tab };
}

const sandboxOnly = (detail: string): Problem => new Problem("wrong-method", { detail });
