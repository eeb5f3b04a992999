import type { CatalogPanel, Tab } from "@backplane/contract/panels";

export type Catalog = ReadonlyMap<string, CatalogPanel>;

export const catalogOf = (panels: readonly CatalogPanel[]): Catalog =>
  new Map(panels.map((panel) => [panel.identifier, panel]));

/** What a panel calls its tabs, by tab. */
export type Titles = ReadonlyMap<string, string>;

/** Chosen by a person or program, else what the panel says of itself, else its kind. */
export function tabName(tab: Tab, catalog: Catalog, titles: Titles = new Map()): string {
  const { title, path } = tab.panelState;
  const said =
    titles.get(tab.id) ?? [title, typeof path === "string" ? path.split("/").at(-1) : undefined].find(isWord);
  return tab.displayName ?? said ?? catalog.get(tab.panelType)?.name ?? "Panel";
}

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

export const tabIcon = (tab: Tab, catalog: Catalog): string =>
  tab.displayIcon ?? catalog.get(tab.panelType)?.icon ?? "globe";
