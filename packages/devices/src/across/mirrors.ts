import type { Device } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import type { Watch } from "../hub/view.ts";
import { createRing, type Ring } from "../model/ring.ts";
import type { ModelEvents } from "../services.ts";
import type { ChannelName, Piece } from "./wire.ts";

const WATCH_EVERY_MS = 3_000;

type Mirror = ChannelName & {
  ring: Ring | undefined;
  /** The holder's number of its ring, and of the sample that comes next. */
  theirs: number | null;
  next: number;
  watchers: number;
  asking: boolean;
};

/** The samples of channels that somebody here looks at, as the holder has them. */
export type Mirrors = {
  watch(device: string, capability: string): Watch;
  ring(device: string, capability: string): Ring | undefined;
  /** Takes what the holder sends by itself. */
  hear(pieces: readonly Piece[]): void;
  close(): void;
};

type Options = {
  device(id: string): Device | undefined;
  /** Asks the holder for samples from this number of its ring on. */
  fetch(channel: ChannelName, ring: number | null, from: number): Promise<Piece | null>;
  onSample: ModelEvents["sample"];
};

export function createMirrors({ device: deviceOf, fetch, onSample }: Options): Mirrors {
  const all = new Map<string, Mirror>();
  const keyOf = ({ device, capability }: ChannelName) => `${device}/${capability}`;
  let isClosed = false;

  /** Takes what follows on what is here; a gap is asked for. */
  function take(mirror: Mirror, piece: Piece): void {
    const { device, capability } = piece;
    if (mirror.theirs !== null && piece.ring < mirror.theirs) return;
    if (piece.ring !== mirror.theirs || !mirror.ring) {
      const declared = deviceOf(device)?.capabilities.find(({ id }) => id === capability);
      if (!declared) return;
      mirror.ring = createRing(declared.fields);
      mirror.theirs = piece.ring;
      mirror.next = piece.first;
    }
    if (piece.first > mirror.next) return void ask(mirror);
    for (let i = mirror.next - piece.first; i < piece.tMs.length; i += 1) {
      mirror.ring.append(piece.tMs[i] as number, valuesAt(piece, i));
      mirror.next += 1;
    }
    const tMs = mirror.ring.lastTMs;
    if (tMs !== undefined) onSample({ device, capability, tMs, values: {} });
  }

  async function ask(mirror: Mirror): Promise<void> {
    if (mirror.asking || isClosed) return;
    mirror.asking = true;
    try {
      for (let isMore = true; isMore && mirror.watchers > 0; ) {
        const { theirs, next } = mirror;
        const piece = await fetch(mirror, theirs, next);
        if (!piece) return;
        // What is too old for the holder is gone for everybody.
        if (piece.ring === mirror.theirs && piece.first > mirror.next) mirror.next = piece.first;
        take(mirror, piece);
        isMore = piece.tMs.length > 0 && mirror.next > next;
      }
    } catch {
      // It is asked again soon, and whoever waits for it sees the device as it was.
    } finally {
      mirror.asking = false;
    }
  }

  const timer = setInterval(() => {
    for (const mirror of all.values()) void ask(mirror);
  }, WATCH_EVERY_MS).unref();

  return {
    watch(device, capability) {
      const key = keyOf({ device, capability });
      const mirror: Mirror = all.get(key) ?? {
        ...{ device, capability, ring: undefined, theirs: null, next: 0, watchers: 0, asking: false },
      };
      all.set(key, mirror);
      mirror.watchers += 1;
      return {
        ready: ask(mirror),
        stop() {
          mirror.watchers -= 1;
          if (mirror.watchers === 0) all.delete(key);
        },
      };
    },
    ring: (device, capability) => all.get(keyOf({ device, capability }))?.ring,
    hear(pieces) {
      for (const piece of pieces) {
        const mirror = all.get(keyOf(piece));
        // Before the first answer there is nothing to join with.
        if (mirror?.ring) take(mirror, piece);
      }
    },
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

function valuesAt({ fields, values }: Piece, i: number): Record<string, JsonData> {
  return Object.fromEntries(
    fields.flatMap((name, place) => {
      const value = values[place]?.[i] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}
