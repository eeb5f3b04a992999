import type { Capability, Device, Sample } from "@backplane/contract/devices";
import type { KeepingModel } from "../model/model.ts";
import type { Ring } from "../model/ring.ts";
import { topicOf } from "./channels.ts";

type Place = { ring: Ring; next: number; device: Device; capability: Capability };
type Taken = { device: Device; capability: Capability; sample: Sample };

/** Where a recording is in the samples of each channel. */
export function createPlaces(
  model: Pick<KeepingModel, "devices" | "ring">,
  isWanted: (device: string) => boolean,
  fromMs: number,
) {
  const places = new Map<string, Place>();
  /** Of rings that were replaced. */
  let left: Taken[] = [];

  function takeFrom(place: Place, untilMs: number, into: Taken[]): void {
    const { ring, device, capability } = place;
    const end = untilMs === Number.POSITIVE_INFINITY ? ring.next : ring.from(untilMs);
    for (place.next = Math.max(place.next, ring.first); place.next < end; place.next += 1) {
      const kept = ring.sample(place.next);
      if (!kept) continue;
      const { tMs, values, deviceTMs } = kept;
      const own = deviceTMs === undefined ? {} : { deviceTMs };
      into.push({ device, capability, sample: { device: device.id, capability: capability.id, tMs, values, ...own } });
    }
  }

  function placeOf(key: string, device: Device, capability: Capability): Place | undefined {
    const known = places.get(key);
    const ring = model.ring(device.id, capability.id);
    if (!ring || known?.ring === ring) return known;
    // It described itself differently: first what is left of before.
    if (known) takeFrom(known, Number.POSITIVE_INFINITY, left);
    const place = { ring, next: known ? ring.first : ring.from(fromMs), device, capability };
    places.set(key, place);
    return place;
  }

  return {
    /** It described itself: samples that it sends before it does so again, or goes, are not missed. */
    notice(device: Device): void {
      for (const capability of device.capabilities)
        placeOf(topicOf({ device: device.id, capability: capability.id }), device, capability);
    },
    /** All new samples before this time, in the order of time. */
    take(untilMs: number): Taken[] {
      const taken = left;
      left = [];
      const seen = new Set<string>();
      for (const device of model.devices()) {
        if (!isWanted(device.id)) continue;
        for (const capability of device.capabilities) {
          const key = topicOf({ device: device.id, capability: capability.id });
          seen.add(key);
          const place = placeOf(key, device, capability);
          if (place) takeFrom(place, untilMs, taken);
        }
      }
      taken.push(...left.splice(0));
      for (const [key, place] of places) {
        if (seen.has(key)) continue;
        // The device was removed.
        takeFrom(place, Number.POSITIVE_INFINITY, taken);
        places.delete(key);
      }
      return taken.sort((a, b) => a.sample.tMs - b.sample.tMs);
    },
  };
}
