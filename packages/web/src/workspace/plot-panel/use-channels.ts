import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { useEffect, useRef, useState } from "react";
import type { Target } from "../devices/devices.ts";
import type { DeviceContext } from "../panel.ts";
import { pageBeat } from "../parts/beat.ts";
import type { PlotView } from "../parts/plot/plot-engine.ts";
import { type Channels, channelKey, openChannels } from "./channels.ts";

/** How often numbers in words are written again. */
const WORDS_MS = 250;

/** What is kept ready without being asked for. */
const SHORT_MS = 60_000;

/** How much of the past a view needs: of what is longer ago than the hub keeps, the history has buckets. */
function pastOf({ windowMs, range }: PlotView, nowMs: number): number {
  const backMs = Math.max(windowMs, range ? nowMs - range[0] : 0);
  return backMs <= SHORT_MS ? SHORT_MS : DEVICES_LIMITS.keptMs;
}

/** The samples of these channels, as long as the panel shows them. `keptMs`: how much of the past the panel always needs. */
export function useChannels(
  { devices, clock }: DeviceContext,
  targets: readonly Target[],
  view: PlotView,
  keptMs?: number,
): Channels {
  const [channels] = useState(() => openChannels(devices));
  const pastMs = keptMs ?? pastOf(view, clock.nowMs());
  const wanted = `${targets.map(channelKey).join()} ${pastMs}`;
  const asked = useRef("");
  // Not in an effect: what is drawn first needs the tracks.
  if (asked.current !== wanted) {
    asked.current = wanted;
    channels.want(targets, pastMs);
  }
  useEffect(() => channels.close, [channels]);
  return channels;
}

/** Draws again now and then, for numbers and ages. */
export function useWordsTick(context: DeviceContext): void {
  const [, setTick] = useState(0);
  useEffect(() => pageBeat.add(context, WORDS_MS, () => setTick((before) => before + 1)), [context]);
}
