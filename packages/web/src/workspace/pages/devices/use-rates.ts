import type { Device } from "@backplane/contract/devices";
import { useEffect, useRef, useState } from "react";
import { createFreshness } from "../../device-panel/freshness.ts";
import type { Devices } from "../../devices/devices.ts";

/** A device is looked at until it has sent so many samples, or for so long. */
const LOOK_SAMPLES = 8;
const LOOK_MS = 2_000;
const LOOK_BACK_MS = 60_000;
const AGAIN_MS = 30_000;

/**
 * How often the first capability of each device sends. One device after the other, because a page has a limit of subscriptions,
 * and to follow every sample of all of them would cost more than it says.
 */
export function useRates(devices: Devices, list: readonly Device[]): ReadonlyMap<string, number> {
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  const latest = useRef(list);
  latest.current = list;
  const known = list.map(({ id, state }) => `${id} ${state}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: devices that come, and those that are back, are looked at soon
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = () => {};
    const look = (place: number) => {
      stop();
      clearTimeout(timer);
      stop = () => {};
      const device = latest.current[place];
      if (!device) {
        timer = setTimeout(look, AGAIN_MS, 0);
        return;
      }
      timer = setTimeout(look, LOOK_MS, place + 1);
      const [capability] = device.capabilities;
      const [field] = Object.keys(capability?.fields ?? {});
      if (!capability || field === undefined || device.state !== "ready") return look(place + 1);
      const fresh = createFreshness();
      let samples = 0;
      const want = { device: device.id, capability: capability.id, fields: [field], historyMs: LOOK_BACK_MS };
      stop = devices.subscribe(want, ({ tMs }) => {
        fresh.take(tMs);
        samples += tMs.length;
        const { rateHz } = fresh.read(tMs.at(-1) ?? 0);
        if (rateHz !== undefined) setRates((before) => new Map(before).set(device.id, rateHz));
        if (samples >= LOOK_SAMPLES) look(place + 1);
      });
    };
    look(0);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [devices, known]);
  return rates;
}
