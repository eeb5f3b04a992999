import type { JsonObject } from "@backplane/contract/panels";
import { useMemo, useSyncExternalStore } from "react";
import type { DeviceContext } from "../panel.ts";
import { usePanelState } from "../panels/react-panel.tsx";
import type { Marks } from "../parts/plot/paint.ts";
import type { PlotView } from "../parts/plot/plot-engine.ts";
import type { Range } from "../parts/plot/range.ts";
import type { PlotSeries } from "../parts/plot/series.ts";
import { createStore, type Store } from "../store.ts";

type Own = {
  /** The times that are shown while it is paused. */
  paused: Range | undefined;
  marks: Marks;
  cursorMs: number | undefined;
  /** Keys of series that are hidden. */
  hidden: ReadonlySet<string>;
};

const NOTHING: Own = {
  paused: undefined,
  marks: { cursors: [], selection: undefined },
  cursorMs: undefined,
  hidden: new Set(),
};

/** The tools and the content of a panel are apart in the page, and look at the same times. */
const stores = new WeakMap<DeviceContext, Store<Own>>();

function storeOf(context: DeviceContext): Store<Own> {
  const known = stores.get(context);
  if (known) return known;
  const made = createStore(NOTHING);
  stores.set(context, made);
  return made;
}

export type PlotControls = ReturnType<typeof usePlotControls>;

/**
 * Which times a panel shows. The window and the zoom are part of the tab, so that everybody sees the same; a pause,
 * cursors and what is hidden are one's own.
 */
export function usePlotControls(context: DeviceContext, usualS: number) {
  const state = usePanelState(context);
  const store = storeOf(context);
  const own = useSyncExternalStore(store.subscribe, store.state);
  const { windowS, zoom } = viewOf(state, usualS);
  const zoomKey = zoom?.join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a zoom is another one when its times are
  const view: PlotView = useMemo(
    () => ({ windowMs: windowS * 1_000, range: zoom ?? own.paused }),
    [windowS, zoomKey, own.paused],
  );
  return { ...own, view, windowS, isPaused: view.range !== undefined, ...actionsOf(context, store, view, zoom) };
}

function actionsOf(
  { clock, setState }: DeviceContext,
  { state, update }: Store<Own>,
  view: PlotView,
  zoom: Range | undefined,
) {
  const keep = (patch: JsonObject) => void setState(patch).catch(() => {});
  return {
    setMarks: (marks: Marks) => update({ marks }),
    setCursor(cursorMs: number | undefined) {
      if (cursorMs !== state().cursorMs) update({ cursorMs });
    },
    setWindow(windowS: number) {
      update({ paused: undefined });
      keep({ windowS, zoom: null });
    },
    togglePause() {
      if (!view.range) return update({ paused: [clock.nowMs() - view.windowMs, clock.nowMs()] });
      update({ paused: undefined });
      if (zoom) keep({ zoom: null });
    },
    zoom(range: Range | undefined) {
      update({ marks: { ...state().marks, selection: undefined }, ...(range ? {} : { paused: undefined }) });
      keep({ zoom: range ? [...range] : null });
    },
    toggle(key: string, isAlone: boolean, all: readonly string[]) {
      const { hidden } = state();
      const others = all.filter((each) => each !== key);
      const isOnlyOne = others.every((each) => hidden.has(each)) && !hidden.has(key);
      if (isAlone) return update({ hidden: new Set(isOnlyOne ? [] : others) });
      update({ hidden: hidden.symmetricDifference(new Set([key])) });
    },
  };
}

/** What the state of a tab says about the times that are shown. */
function viewOf({ windowS, zoom }: JsonObject, usualS: number): { windowS: number; zoom: Range | undefined } {
  const [from, to] = Array.isArray(zoom) ? zoom : [];
  const isRange = typeof from === "number" && typeof to === "number" && from < to;
  return {
    windowS: typeof windowS === "number" && windowS > 0 ? windowS : usualS,
    zoom: isRange ? [from, to] : undefined,
  };
}

/** What a panel shows now, for those who save it. */
export type Seen = { name: string; series: readonly SeenSeries[]; times: Range };
type SeenSeries = Pick<PlotSeries, "label" | "track" | "read" | "isShown"> & { unit: string };

const seen = new WeakMap<DeviceContext, Seen>();
export const setSeen = (context: DeviceContext, now: Seen): void => void seen.set(context, now);
export const seenIn = (context: DeviceContext): Seen | undefined => seen.get(context);
