import type { Line } from "../recognition/recognised.ts";

/** Of all text, from the top: what is lower is the foot of a page. */
const FOOT = 0.85;
const SMALLER_THAN_USUAL = 0.75;
const SMALLER_THAN_TITLE = 0.5;
/** To what stands above the foot, in sizes of its own. */
const GAP = 4;

export type Page = { usual: number; bottom: number; titleHeight: number | undefined };

/** Who made it, where it is kept, whose it is: the small lines at the foot of a page, which tell nothing of its subject. */
export function findSmallPrint(lines: readonly Line[], { usual, bottom, titleHeight }: Page): Set<Line> {
  const isAtFoot = ({ y }: Line) => y >= bottom * FOOT;
  const bodyEnd = Math.max(0, ...lines.filter((line) => !isAtFoot(line)).map(({ y, height }) => y + height));
  const isSmall = ({ y, height }: Line) =>
    height < usual * SMALLER_THAN_USUAL ||
    (titleHeight !== undefined && height <= titleHeight * SMALLER_THAN_TITLE && y - bodyEnd > GAP * height);
  return new Set(lines.filter((line) => isAtFoot(line) && isSmall(line)));
}
