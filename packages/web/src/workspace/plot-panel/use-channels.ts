import { useEffect, useRef, useState } from "react";
import type { Target } from "../devices/devices.ts";
import type { PanelContext } from "../panel.ts";
import { pageBeat } from "../parts/beat.ts";
import { type Channels, channelKey, openChannels } from "./channels.ts";

/** How often numbers in words are written again. */
const WORDS_MS = 250;

/** The samples of these channels, as long as the panel shows them. */
export function useChannels({ devices }: PanelContext, targets: readonly Target[], keptMs?: number): Channels {
  const [channels] = useState(() => openChannels(devices, keptMs));
  const wanted = targets.map(channelKey).join();
  const asked = useRef("");
  // Not in an effect: what is drawn first needs the tracks.
  if (asked.current !== wanted) {
    asked.current = wanted;
    channels.want(targets);
  }
  useEffect(() => channels.close, [channels]);
  return channels;
}

/** Draws again now and then, for numbers and ages. */
export function useWordsTick(context: PanelContext): void {
  const [, setTick] = useState(0);
  useEffect(() => pageBeat.add(context, WORDS_MS, () => setTick((before) => before + 1)), [context]);
}
