import type { CatalogPanel, JsonObject } from "@backplane/contract/panels";
import type { MenuItem } from "../parts/menu.tsx";

/** What the palette offers besides panels. */
export type Command = Pick<CatalogPanel, "identifier" | "kind" | "name" | "description" | "icon"> & {
  category: "Commands";
  singleton: false;
  run: () => void;
};

/** A panel from a package: in the workspace already, or in the registry. */
export type PackageChoice = Omit<CatalogPanel, "category"> & {
  category: "From packages" | "Get more";
  opens: { panelType: string; initialState: JsonObject; displayName: string };
};

export type Choice = CatalogPanel | PackageChoice | Command;

export const isCommand = (choice: Choice): choice is Command => "run" in choice;

/** The items of menus as commands. `about` says what they change. */
export const toCommands = (items: readonly MenuItem[], about: string): Command[] =>
  items.map(({ label, hint, href, onSelect }) => ({
    ...{ identifier: `command ${label}`, kind: `command-${label.toLowerCase().replaceAll(" ", "-")}` },
    ...{ name: label, description: hint === undefined ? about : `${about}, ${hint}`, icon: "play" },
    ...{ category: "Commands", singleton: false },
    run: () => (href === undefined ? onSelect?.() : window.location.assign(href)),
  }));
