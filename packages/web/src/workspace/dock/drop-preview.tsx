import { PanelIcon } from "../catalog/panel-icons.tsx";
import { previewOf } from "./drop-target.ts";
import type { Arrangement } from "./geometry.ts";
import { placed } from "./placed.ts";
import type { Drag } from "./use-tab-drag.ts";

type Props = { drag: Drag; arrangement: Arrangement; name: string; icon: string; insertX: (drag: Drag) => number };

/** Over everything while a tab is dragged, so that no frame takes the pointer: where the tab would go, and the tab. */
export function DropPreview({ drag, arrangement, name, icon, insertX }: Props) {
  const { drop } = drag;
  const leaf = drop && arrangement.leaves.get(drop.leafId);
  return (
    <div className="drag-shield">
      {drop && leaf && drop.kind === "insert" && (
        <div className="insert-mark" style={placed({ ...previewOf(drop, leaf), x: insertX(drag) - 1, width: 2 }, 0)} />
      )}
      {drop && leaf && drop.kind !== "insert" && (
        <div className="drop-preview" style={placed(previewOf(drop, leaf), 0)} />
      )}
      <div className="drag-ghost" style={{ translate: `${drag.x + 12}px ${drag.y + 12}px` }}>
        <PanelIcon name={icon} />
        <span className="cut">{name}</span>
      </div>
    </div>
  );
}
