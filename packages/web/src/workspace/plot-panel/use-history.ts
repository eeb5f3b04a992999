import { DEVICES_LIMITS, type History } from "@backplane/contract/devices";
import { useEffect, useState } from "react";
import type { Target } from "../devices/devices.ts";
import type { DeviceContext } from "../panel.ts";
import type { Buckets } from "../parts/plot/envelope.ts";
import type { PlotView } from "../parts/plot/plot-engine.ts";
import { channelKey } from "./channels.ts";

/** More points than a panel has pixel columns. */
const POINTS = 2_000;

type Past = ReadonlyMap<string, History>;

/** What was measured before the page's own samples, when the window reaches that far back. By channel and field. */
export function useHistory(
  { clock, devices }: DeviceContext,
  targets: readonly Target[],
  { windowMs, range }: PlotView,
): (target: Target, field: string) => Buckets | undefined {
  const [past, setPast] = useState<Past>(new Map());
  const wanted = targets.map(channelKey).join();
  const nowMs = clock.nowMs();
  const backMs = Math.max(windowMs, range ? nowMs - range[0] : 0);
  const isNeeded = backMs > DEVICES_LIMITS.keptMs;
  // Asked again when the window is another one, and now and then.
  const reach = isNeeded ? Math.ceil(backMs / DEVICES_LIMITS.keptMs) : 0;

  useEffect(() => {
    if (reach === 0 || wanted === "") return;
    let isOver = false;
    const load = async () => {
      const fromMs = Math.floor(clock.nowMs() - (reach + 1) * DEVICES_LIMITS.keptMs);
      const loaded = await Promise.all(
        wanted.split(",").map(async (key) => {
          const [device = "", capability = ""] = key.split("/");
          const history = await devices.history({ device, capability }, { fromMs, points: POINTS });
          return history && ([key, history] as const);
        }),
      );
      if (!isOver) setPast(new Map(loaded.filter((each) => each !== undefined)));
    };
    void load();
    // What the page forgets meanwhile has to be in it, for a plot that is built again.
    const timer = setInterval(() => void load(), DEVICES_LIMITS.keptMs / 2);
    let before = devices.status().connection;
    const stop = devices.onStatus(() => {
      const { connection } = devices.status();
      if (connection === "open" && before !== "open") void load();
      before = connection;
    });
    return () => {
      isOver = true;
      clearInterval(timer);
      stop();
    };
  }, [clock, devices, wanted, reach]);

  return (target, field) => bucketsOf(past.get(channelKey(target)), field);
}

const made = new WeakMap<History, Map<string, Buckets | undefined>>();

/** The same object for the same history: a plot builds itself anew for another one. */
function bucketsOf(history: History | undefined, field: string): Buckets | undefined {
  if (!history) return undefined;
  const known = made.get(history) ?? new Map<string, Buckets | undefined>();
  made.set(history, known);
  if (!known.has(field)) {
    const values = history.fields[field];
    known.set(field, values && { tMs: history.tMs, sizeMs: history.sizeMs, ...values });
  }
  return known.get(field);
}
