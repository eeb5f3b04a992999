import "./switcher.css";
import type { Layout } from "@backplane/contract/panels";
import { PanelIcon } from "./catalog/panel-icons.tsx";
import type { Shown } from "./dock/dock-store.ts";
import { type Catalog, type Icons, leavesOf, type Titles, tabIcon, tabName } from "./dock/layout-tree.ts";

type Props = {
  root: Layout["root"];
  shown: Shown;
  catalog: Catalog;
  titles: Titles;
  icons: Icons;
  currentLeafId: string | undefined;
  onChoose: (leafId: string) => void;
};

/** On a narrow screen only one panel is visible. This switches to the others. */
export function Switcher({ root, shown, catalog, titles, icons, currentLeafId, onChoose }: Props) {
  const leaves = leavesOf(root);
  if (leaves.length < 2) return null;
  return (
    <nav className="switcher" aria-label="Panels">
      {leaves.map(({ id, tabs }) => {
        const tab = tabs.find((each) => each.id === shown.get(id));
        return (
          <button
            key={id}
            type="button"
            aria-current={id === currentLeafId || undefined}
            ref={(element) => {
              if (id === currentLeafId) element?.scrollIntoView({ block: "nearest", inline: "nearest" });
            }}
            onClick={() => onChoose(id)}
          >
            <PanelIcon {...(tab ? tabIcon(tab, catalog, icons) : { name: "none" })} />
            <span className="cut">{tab ? tabName(tab, catalog, titles) : "Empty"}</span>
            {tab?.drivenBy !== undefined && <span className="sr">, driven by {tab.drivenBy}</span>}
          </button>
        );
      })}
    </nav>
  );
}
