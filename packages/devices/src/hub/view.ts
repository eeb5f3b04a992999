import type { DeviceLine } from "@backplane/contract/devices";
import type { Ring } from "../model/ring.ts";
import type { Model } from "../services.ts";

/** The devices of a workspace as pages and programs see them, on the instance that holds them or on another one. */
export type View = Pick<Model, "devices" | "device" | "on"> & {
  /** Undefined: there is no such channel, or none of its samples has arrived here yet. */
  ring(device: string, capability: string): Ring | undefined;
  lines(): readonly DeviceLine[];
  /** Somebody wants the samples of a channel, until `stop`. `ready`: those that there were are here. */
  /** `pastMs`: how much of what came before is wanted, where it has to be read first. */
  watch(device: string, capability: string, pastMs?: number): Watch;
};

export type Watch = { readonly ready: Promise<void>; stop(): void };

const READY = Promise.resolve();

/** All samples of devices that are held here are here. */
export const heldView = (model: Omit<View, "watch">): View => ({
  ...model,
  watch: () => ({ ready: READY, stop: () => {} }),
});
