import type { DraftPanel, InstalledPanel, OfferedPanel, PanelManifest } from "@backplane/contract/panels";
import { wantsInShort } from "../../parts/panel-wants/wants-words.ts";
import type { PackageChoice } from "./commands.ts";

const KIND = "package";

type Named = { identifier: string; panel: PanelManifest };

function choiceOf(
  { identifier, panel }: Named,
  category: PackageChoice["category"],
  by: string,
  more: { draft?: true } = {},
): PackageChoice {
  const isDraft = more.draft === true;
  return {
    ...{ identifier: `${category} ${identifier} ${isDraft}`, kind: `package-${identifier}${isDraft ? "-draft" : ""}` },
    ...{
      name: panel.title,
      category,
      icon: "cube",
      singleton: false,
      built: true,
      aliases: [],
      shows: [],
      stateSchema: {},
    },
    description: `${by} · ${wantsInShort(panel.wants)}`,
    opens: {
      ...{ panelType: KIND, initialState: { package: identifier, ...more } },
      displayName: isDraft ? `${panel.title} (draft)` : panel.title,
    },
  };
}

/** Panels from packages: those of the workspace, those that somebody is writing, and those that the registry has besides. */
export function packageChoices(
  panels: readonly InstalledPanel[],
  drafts: readonly DraftPanel[],
  offered: readonly OfferedPanel[],
): PackageChoice[] {
  const known = new Set(panels.map(({ identifier }) => identifier));
  return [
    ...panels.map((each) =>
      choiceOf(each, "From packages", `${each.owner ?? "not in the registry"} · ${each.version}`),
    ),
    ...drafts.map((each) => choiceOf(each, "From packages", `draft of ${each.sentBy}`, { draft: true })),
    ...offered
      .filter(({ identifier }) => !known.has(identifier))
      .map((each) => choiceOf(each, "Get more", `${each.owner} · ${each.version}`)),
  ];
}
