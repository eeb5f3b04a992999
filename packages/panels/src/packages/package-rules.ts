import {
  type JsonData,
  type JsonObject,
  type PackagePanelState,
  type PanelManifest,
  stateFaults,
  type Tab,
} from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import { type FoundTab, isSamePanel, leavesOf, type Root } from "../layout/tree.ts";
import { invalidFields } from "../problems.ts";
import type { Services } from "../services.ts";

/** What the manifest of a package asks of the tabs that show it. */
export type PackageRules = Pick<PanelManifest, "title" | "singleton" | "stateSchema">;

type Shown = { panelType: string; panelState: JsonObject; aliasOf?: string };

/** The rules for a tab with this state. Undefined: it does not show a package, or the workspace does not have that. */
export async function rulesFor(
  { packageRules }: Pick<Services, "packageRules">,
  workspaceId: string,
  tab: Shown,
): Promise<PackageRules | undefined> {
  const { package: identifier, draft = false } = tab.panelState as PackagePanelState;
  if (panelOf(tab)?.kind !== "package" || identifier === undefined) return undefined;
  return packageRules({ workspaceId, identifier }, draft);
}

/** 422 with pointers below `pointer`, if the package has a schema of its state that this does not fit. */
export function checkOwnState(rules: PackageRules | undefined, state: JsonObject, pointer: string): void {
  if (!rules?.stateSchema || state.own === undefined) return;
  const faults = stateFaults(rules.stateSchema, state.own as JsonData, `${pointer}/own`);
  if (faults.length > 0) throw invalidFields(faults);
}

/** Another tab with the same package, if that is allowed once per workspace. */
export function findOnly(
  root: Root,
  rules: PackageRules | undefined,
  tab: Shown & { id?: string },
): FoundTab | undefined {
  if (rules?.singleton !== true) return undefined;
  for (const leaf of leavesOf(root)) {
    const open = leaf.tabs.find((each: Tab) => each.id !== tab.id && isSamePanel(each, tab));
    if (open) return { tab: open, leaf };
  }
  return undefined;
}

/** 409 when it is open in another tab, and allowed once. */
export function expectOnly(root: Root, rules: PackageRules | undefined, tab: Shown & { id?: string }): void {
  const open = findOnly(root, rules, tab);
  if (!open) return;
  throw new Problem("singleton-panel", {
    detail: `${rules?.title} is already open: tab ${open.tab.id} in panel ${open.leaf.id}.`,
    errors: [{ pointer: "/panelType", message: "is already open, and allowed once per workspace" }],
  });
}
