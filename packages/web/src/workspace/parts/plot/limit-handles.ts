import type uPlot from "uplot";
import type { Limit } from "./series.ts";

export type LimitHandles = {
  /** The limits as they are drawn: one that is dragged is where it is now. */
  limits(): readonly Limit[];
  /** Puts the handles where their limits are. */
  place(u: uPlot): void;
};

/** Squares at the ends of limits that people set. Keys have the field of the limit instead: the plot's picture is not read out. */
export function createLimitHandles(limits: () => readonly Limit[]): LimitHandles {
  let handles: HTMLElement[] = [];
  let dragged: { place: number; value: number } | undefined;

  const shown = () =>
    limits().map((limit, place) => (dragged?.place === place ? { ...limit, value: dragged.value } : limit));

  function make(u: uPlot, place: number): HTMLElement {
    const handle = document.createElement("div");
    handle.className = "plot-limit";
    // Without this, a drag would select times.
    handle.addEventListener("mousedown", (event) => event.stopPropagation());
    handle.addEventListener("pointerdown", (event) => {
      const limit = limits()[place];
      if (event.button !== 0 || !limit) return;
      handle.setPointerCapture(event.pointerId);
      dragged = { place, value: limit.value };
    });
    handle.addEventListener("pointermove", (event) => {
      const step = limits()[place]?.step;
      if (dragged?.place !== place || step === undefined) return;
      const { top, height } = u.over.getBoundingClientRect();
      const at = Math.max(0, Math.min(height, event.clientY - top));
      dragged.value = Number((Math.round(u.posToVal(at, "y") / step) * step).toPrecision(12));
      u.redraw(false);
    });
    const end = (isKept: boolean) => () => {
      const value = dragged?.place === place ? dragged.value : undefined;
      dragged = undefined;
      const limit = limits()[place];
      if (isKept && value !== undefined && value !== limit?.value) limit?.onMove?.(value);
      u.redraw(false);
    };
    handle.addEventListener("pointerup", end(true));
    handle.addEventListener("pointercancel", end(false));
    u.over.append(handle);
    return handle;
  }

  return {
    limits: shown,
    place(u) {
      const all = shown();
      const count = all.filter(({ onMove }) => onMove).length;
      if (handles.length !== count) {
        for (const handle of handles) handle.remove();
        handles = all.flatMap(({ onMove }, place) => (onMove ? [make(u, place)] : []));
      }
      for (const [i, { value }] of all.filter(({ onMove }) => onMove).entries()) {
        const handle = handles[i] as HTMLElement;
        const y = u.valToPos(value, "y");
        handle.hidden = !(y >= 0 && y <= u.over.clientHeight);
        handle.style.top = `${y}px`;
      }
    },
  };
}
