import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Declared, Ground } from "../services.ts";

/** A device and the id under which it is known. */
export type Identity = {
  id: string;
  /** Another device had the id first: this one is seen, but gets no commands. */
  isSecond: boolean;
};

const MAX_SAME = 9;

export type Identities = {
  /** Undefined: refused, because there are too many devices. */
  declare(declared: Declared): Identity | undefined;
  forget(wanted: string): void;
};

/** Devices of one convention. One whose id is taken by another convention gets `-2` and an alert. */
export function createIdentities(ground: Ground, source: string): Identities {
  const known = new Map<string, Identity>();
  return {
    declare(declared) {
      const before = known.get(declared.id);
      if (before) return ground.declare(source, { ...declared, id: before.id }) ? before : undefined;
      if (known.size >= DEVICES_LIMITS.maxDevices) return undefined;
      for (let n = 1; n <= MAX_SAME; n += 1) {
        const suffix = n === 1 ? "" : `-${n}`;
        const id = declared.id.slice(0, DEVICES_LIMITS.maxIdLength - suffix.length) + suffix;
        if (!ground.declare(source, { ...declared, id })) continue;
        const identity = { id, isSecond: n > 1 };
        known.set(declared.id, identity);
        if (n > 1) ground.alert(id, "same-id", `Another device has the id ${declared.id}. Give this one its own.`);
        return identity;
      }
      return undefined;
    },
    forget(wanted) {
      known.delete(wanted);
    },
  };
}
