import { type LayoutNode, type Leaf, PANELS_LIMITS, type Split, type Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import {
  emptyLeaf,
  findLeaf,
  findTab,
  firstLeaf,
  isSamePanel,
  leavesOf,
  type Root,
  replaceLeaf,
  tabsOf,
} from "./tree.ts";

/** A tree without the contents of its tabs: undo leaves those as they are. */
type Shape =
  | (Pick<Leaf, "type" | "id" | "activeTabId"> & { tabIds: string[] })
  | (Omit<Split, "first" | "second"> & { first: Shape; second: Shape });

/** What is needed to undo a change. */
export type Remembered = {
  shape: Shape;
  /** Tabs that the change closed, whole. */
  closed: Tab[];
  /** Ids of tabs that it opened. */
  opened: string[];
};

export function rememberChange(before: Root, after: Root): Remembered {
  const [were, are] = [tabsOf(before), tabsOf(after)];
  const [wereIds, areIds] = [new Set(were.map(({ id }) => id)), new Set(are.map(({ id }) => id))];
  return {
    shape: shapeOf(before),
    closed: were.filter(({ id }) => !areIds.has(id)),
    opened: are.map(({ id }) => id).filter((id) => !wereIds.has(id)),
  };
}

/** Whether both have the same tabs in the same places, regardless of which are active and what they contain. */
export function isSameShape(one: LayoutNode, other: LayoutNode): boolean {
  if (one === other) return true;
  if (one.id !== other.id) return false;
  if (one.type === "leaf") {
    if (other.type !== "leaf" || one.tabs.length !== other.tabs.length) return false;
    return one.tabs.every(({ id }, at) => id === other.tabs[at]?.id);
  }
  if (other.type !== "split" || one.direction !== other.direction || one.ratio !== other.ratio) return false;
  return isSameShape(one.first, other.first) && isSameShape(one.second, other.second);
}

function shapeOf(node: LayoutNode): Shape {
  if (node.type === "split") return { ...node, first: shapeOf(node.first), second: shapeOf(node.second) };
  const { type, id, activeTabId, tabs } = node;
  return { type, id, activeTabId, tabIds: tabs.map((tab) => tab.id) };
}

/** Tabs that cannot come back: a workspace has their panel once, and it is open. `isOnce`: beyond what the catalog says. */
export function secondsOf(
  present: Root,
  { closed, opened }: Pick<Remembered, "closed" | "opened">,
  isOnce: (tab: Tab) => boolean = () => false,
): Tab[] {
  const left = tabsOf(present).filter(({ id }) => !opened.includes(id));
  return closed.filter(
    (tab) =>
      (panelOf(tab)?.singleton === true || isOnce(tab)) &&
      left.some((each) => each.id !== tab.id && isSamePanel(each, tab)),
  );
}

/**
 * The tree as it was before a change. Tabs keep their current contents; tabs that the change closed come back, tabs that
 * it opened go, and tabs that were opened since then stay.
 */
export function undoChange(present: Root, remembered: Remembered, seconds = secondsOf(present, remembered)): Root {
  const { shape, closed, opened } = remembered;
  const tabs = new Map(tabsOf(present).map((tab) => [tab.id, tab]));
  for (const id of opened) tabs.delete(id);
  for (const tab of closed) {
    const isSecond = seconds.some(({ id }) => id === tab.id);
    if (!tabs.has(tab.id) && !isSecond) tabs.set(tab.id, tab);
  }
  if (tabs.size > PANELS_LIMITS.maxTabs) {
    throw new Problem("workspace-full", { detail: `A workspace has at most ${PANELS_LIMITS.maxTabs} tabs.` });
  }
  const built = build(shape, tabs, present) ?? emptyLeaf(firstLeafId(shape));
  const placed = new Set(tabsOf(built).map(({ id }) => id));
  return [...tabs.values()]
    .filter(({ id }) => !placed.has(id))
    .reduce((root, tab) => placeTab(root, tab, present), built);
}

function build(shape: Shape, tabs: ReadonlyMap<string, Tab>, present: Root): LayoutNode | undefined {
  if (shape.type === "split") {
    const [first, second] = [build(shape.first, tabs, present), build(shape.second, tabs, present)];
    return first && second ? { ...shape, first, second } : (first ?? second);
  }
  const own = shape.tabIds.flatMap((id) => tabs.get(id) ?? []);
  const [firstTab] = own;
  if (!firstTab) return undefined;
  const has = (id: string | null | undefined): id is string => own.some((tab) => tab.id === id);
  const leaf = findLeaf(present, shape.id);
  const wasActive = has(shape.activeTabId) ? shape.activeTabId : undefined;
  // A tab that comes back is shown; else the tab that is active now stays active.
  const isBack = wasActive !== undefined && !leaf?.tabs.some(({ id }) => id === wasActive);
  const isActive = !isBack && has(leaf?.activeTabId) ? leaf.activeTabId : wasActive;
  return { type: "leaf", id: shape.id, tabs: own, activeTabId: isActive ?? firstTab.id };
}

/** Places a tab that the earlier tree does not have: where it is now, or with one of its current neighbours. */
function placeTab(root: Root, tab: Tab, present: Root): Root {
  const now = findTab(present, tab.id)?.leaf;
  const withIt = (leaf: Leaf) => leaf.tabs.some(({ id }) => now?.tabs.some((mate) => mate.id === id));
  const home = leavesOf(root).find(({ id }) => id === now?.id) ?? leavesOf(root).find(withIt) ?? firstLeaf(root);
  return replaceLeaf(root, { ...home, tabs: [...home.tabs, tab], activeTabId: home.activeTabId ?? tab.id });
}

const firstLeafId = (shape: Shape): string => (shape.type === "leaf" ? shape.id : firstLeafId(shape.first));
