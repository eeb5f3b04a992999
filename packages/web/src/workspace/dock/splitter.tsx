import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { type Splitter as Place, placed } from "./geometry.ts";

type Props = {
  place: Place;
  label: string;
  order: number;
  /** During a drag: drawn, but not sent yet. */
  onPreview: (ratio: number | undefined) => void;
  onResize: (ratio: number) => void;
  onDragging: (isDragging: boolean) => void;
};

const { minRatio } = PANELS_LIMITS;
const STEP = 0.02;
const LARGE_STEP = 0.1;

/** The handle between two sides of a split. */
export function Splitter({ place, label, order, onPreview, onResize, onDragging }: Props) {
  const { direction, rect, start, length } = place;
  const dragged = useRef<{ grip: number; from: number; ratio: number }>(undefined);
  const isSideBySide = direction === "horizontal";
  const min = Math.max(place.min, minRatio);
  const max = Math.max(min, Math.min(place.max, 1 - minRatio));
  const clamp = (ratio: number): number => Math.round(Math.min(Math.max(ratio, min), max) * 10_000) / 10_000;
  const along = (event: PointerEvent): number => (isSideBySide ? event.clientX : event.clientY);

  const grab = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || length === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const edge = start + place.ratio * length;
    dragged.current = { grip: along(event) - edge, from: place.ratio, ratio: place.ratio };
    onDragging(true);
  };
  const drag = (event: PointerEvent) => {
    if (!dragged.current) return;
    dragged.current.ratio = clamp((along(event) - dragged.current.grip - start) / length);
    onPreview(dragged.current.ratio);
  };
  const end = (isKept: boolean) => {
    const last = dragged.current;
    if (!last) return;
    dragged.current = undefined;
    onDragging(false);
    if (isKept && last.ratio !== last.from) onResize(last.ratio);
    else onPreview(undefined);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && dragged.current) return end(false);
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const [less, more] = isSideBySide ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const to = {
      [less ?? ""]: place.ratio - step,
      [more ?? ""]: place.ratio + step,
      Home: min,
      End: max,
      Enter: 0.5,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onResize(clamp(to));
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      className={`splitter ${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isSideBySide ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(place.ratio * 100)}
      aria-valuemin={Math.round(min * 100)}
      aria-valuemax={Math.round(max * 100)}
      title="Drag to resize. Double-click for equal sizes."
      style={placed(rect, order)}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
      onDoubleClick={() => onResize(clamp(0.5))}
      onKeyDown={onKeyDown}
    />
  );
}
