import type { Layout } from "@backplane/contract/panels";
import type { MenuItem } from "./menu.tsx";
import { leafAfter, leafOfTab } from "./tree.ts";

type Ground = {
  root: Layout["root"];
  tabId: string;
  isMaximised: boolean;
  isNarrow: boolean;
  on: {
    split(side: "right" | "down"): void;
    moveTo(leafId: string): void;
    maximise(): void;
    rename(): void;
    close(): void;
    closeOthers(): void;
  };
};

/** What can be done to a tab and its panel, as far as it can be done now. */
export function panelMenu({ root, tabId, isMaximised, isNarrow, on }: Ground): MenuItem[] {
  const leaf = leafOfTab(root, tabId);
  const next = leaf && leafAfter(root, leaf.id);
  const items: (MenuItem | false | undefined)[] = [
    { label: "Split right", onSelect: () => on.split("right") },
    { label: "Split below", onSelect: () => on.split("down") },
    next && { label: "Move to next panel", onSelect: () => on.moveTo(next.id) },
    next && !isNarrow && { label: isMaximised ? "Restore" : "Maximise", onSelect: on.maximise },
    { label: "Rename", onSelect: on.rename, startsGroup: true },
    { label: "Close", hint: "Delete", onSelect: on.close },
    (leaf?.tabs.length ?? 0) > 1 && { label: "Close others", onSelect: on.closeOthers },
  ];
  return items.filter((item): item is MenuItem => item !== false && item !== undefined);
}
