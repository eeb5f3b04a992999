import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { type Size, useSize } from "../../browser-hooks.ts";
import { type Axis, chartScale } from "../../parts/plot/chart.tsx";
import { minuteWords } from "./draw-run.ts";
import { movePoint, type Point } from "./reflow.ts";

const STEP_S = 5;
const STEPS: Readonly<Record<string, readonly [s: number, c: number]>> = {
  ArrowLeft: [-STEP_S, 0],
  ArrowRight: [STEP_S, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

type Props = {
  profile: readonly Point[];
  x: Axis;
  y: Axis;
  /** While it is dragged. */
  onDraft: (profile: readonly Point[]) => void;
  onChange: (profile: readonly Point[]) => void;
};

/** Squares on the profile: dragged, or moved by arrow keys, with Shift ten times as far. */
export function ProfileHandles({ profile, x, y, onDraft, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [dragged, setDragged] = useState<number>();

  function moved(event: PointerEvent, place: number, { width, height }: Size): readonly Point[] {
    const edge = box.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const scale = chartScale({ width, height }, x.range, y.range);
    const to = { t_s: scale.valueX(event.clientX - edge.left), c: scale.valueY(event.clientY - edge.top) };
    return movePoint(profile, place, to);
  }

  function onKeyDown(event: KeyboardEvent, place: number): void {
    const step = STEPS[event.key];
    const point = profile[place];
    if (!step || !point) return;
    event.preventDefault();
    const by = event.shiftKey ? 10 : 1;
    onChange(movePoint(profile, place, { t_s: point.t_s + by * step[0], c: point.c + by * step[1] }));
  }

  const scale = size && chartScale(size, x.range, y.range);
  return (
    <div className="oven-handles" ref={box}>
      {scale &&
        profile.map(({ t_s, c }, place) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: a point is known by its place, also while it moves
            key={place}
            type="button"
            className="oven-handle"
            aria-label={`Point ${place + 1} of ${profile.length}: ${minuteWords(t_s)}, ${c} °C. Arrow keys move it`}
            style={{ left: scale.x(t_s), top: scale.y(c) }}
            onKeyDown={(event) => onKeyDown(event, place)}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              setDragged(place);
            }}
            onPointerMove={(event) => dragged === place && onDraft(moved(event, place, size))}
            onPointerUp={(event) => {
              if (dragged !== place) return;
              setDragged(undefined);
              onChange(moved(event, place, size));
            }}
            onPointerCancel={() => setDragged(undefined)}
          />
        ))}
    </div>
  );
}
