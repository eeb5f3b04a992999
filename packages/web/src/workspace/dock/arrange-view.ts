import type { LayoutNode } from "@backplane/contract/panels";
import { type Arrangement, arrange, GAP } from "./geometry.ts";
import type { Size } from "./use-size.ts";

type View = {
  /** The one panel that is seen: on a narrow screen, or when somebody made it as large as the window. */
  soloLeafId: string | undefined;
  isNarrow: boolean;
  ratios: ReadonlyMap<string, number>;
};

/** Where everything is in a window of this size. */
export function arrangeView(
  root: LayoutNode,
  { width, height }: Size,
  { soloLeafId, isNarrow, ratios }: View,
): Arrangement {
  const margin = isNarrow ? 0 : GAP;
  const box = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin };
  if (soloLeafId === undefined) return arrange(root, box, ratios);
  const whole = arrange({ type: "leaf", id: soloLeafId, tabs: [], activeTabId: null }, box);
  return { leaves: whole.leaves, splitters: [] };
}
