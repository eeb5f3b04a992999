import {
  type CatalogPanel,
  identifierOf,
  type Layout,
  type LayoutNode,
  type Leaf,
  type Tab,
} from "@backplane/contract/panels";

type Root = Layout["root"];

/** In reading order: left before right, top before bottom. */
export function leavesOf(node: LayoutNode): Leaf[] {
  return node.type === "leaf" ? [node] : [...leavesOf(node.first), ...leavesOf(node.second)];
}

export const tabsOf = (root: Root): Tab[] => leavesOf(root).flatMap(({ tabs }) => tabs);

export const findLeaf = (root: Root, leafId: string): Leaf | undefined =>
  leavesOf(root).find(({ id }) => id === leafId);

export const leafOfTab = (root: Root, tabId: string): Leaf | undefined =>
  leavesOf(root).find(({ tabs }) => tabs.some(({ id }) => id === tabId));

export const findTab = (root: Root, tabId: string): Tab | undefined => tabsOf(root).find(({ id }) => id === tabId);

/** The next leaf, starting over after the last; undefined when there is only one. */
export function leafAfter(root: Root, leafId: string | undefined, step: 1 | -1 = 1): Leaf | undefined {
  const leaves = leavesOf(root);
  const place = leaves.findIndex(({ id }) => id === leafId);
  if (place === -1) return leaves[step === 1 ? 0 : leaves.length - 1];
  const next = leaves[(place + step + leaves.length) % leaves.length];
  return next?.id === leafId ? undefined : next;
}

export type Catalog = ReadonlyMap<string, CatalogPanel>;

export const catalogOf = (panels: readonly CatalogPanel[]): Catalog =>
  new Map(panels.map((panel) => [panel.identifier, panel]));

/** The panel of a tab; undefined when the catalog does not have it. */
export const panelOf = (tab: Tab, catalog: Catalog): CatalogPanel | undefined => catalog.get(identifierOf(tab));

/** The titles that panels give to their tabs, by tab id. */
export type Titles = ReadonlyMap<string, string>;
/** The pictures that panels give to their tabs, by tab id: the icon of the page in a web view. */
export type Icons = ReadonlyMap<string, string>;

/** The name that somebody gave the tab, otherwise the panel's title, otherwise its kind. */
export function tabName(tab: Tab, catalog: Catalog, titles: Titles = new Map()): string {
  const { title, path } = tab.panelState;
  const panelTitle =
    titles.get(tab.id) ?? [title, typeof path === "string" ? path.split("/").at(-1) : undefined].find(isWord);
  return tab.displayName ?? panelTitle ?? panelOf(tab, catalog)?.name ?? "Panel";
}

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** The icon that was chosen for the tab, otherwise the panel's picture; and that of its kind, which is always there. */
export function tabIcon(tab: Tab, catalog: Catalog, icons: Icons = new Map()): { name: string; own: string } {
  const own = panelOf(tab, catalog)?.icon ?? "globe";
  return { name: tab.displayIcon ?? icons.get(tab.id) ?? own, own };
}

/** More changes than these are only counted. */
const MAX_DESCRIBED = 3;

type Placed = { tab: Tab; leaf: Leaf };

const placesOf = (root: Layout["root"]): Map<string, Placed> =>
  new Map(leavesOf(root).flatMap((leaf) => leaf.tabs.map((tab) => [tab.id, { tab, leaf }] as const)));

/** What changed between two layouts, for screen readers. */
export function describeChanges(before: Layout, after: Layout, nameOf: (tab: Tab) => string): string {
  const [were, are] = [placesOf(before.root), placesOf(after.root)];
  const changes: string[] = [];
  for (const [id, { tab }] of were) {
    if (!are.has(id)) changes.push(`${nameOf(tab)} closed.`);
  }
  for (const [id, { tab, leaf }] of are) {
    const was = were.get(id);
    if (!was) changes.push(`${nameOf(tab)} opened.`);
    else if (was.leaf.id !== leaf.id) changes.push(`${nameOf(tab)} moved ${besideWords(leaf, id, nameOf)}.`);
    else if (tab.displayName !== was.tab.displayName) changes.push(`${nameOf(was.tab)} is now ${nameOf(tab)}.`);
  }
  const more = changes.length - MAX_DESCRIBED;
  return [...changes.slice(0, MAX_DESCRIBED), ...(more > 0 ? [`${more} more changes.`] : [])].join(" ");
}

function besideWords({ tabs }: Leaf, tabId: string, nameOf: (tab: Tab) => string): string {
  const mate = tabs.find(({ id }) => id !== tabId);
  return mate ? `beside ${nameOf(mate)}` : "to a panel of its own";
}
