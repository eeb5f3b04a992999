import { type Capability, DEVICES_LIMITS, type Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { createFlow, type Flow } from "./flow.ts";
import type { KeptMemory } from "./kept-memory.ts";
import { createRing, type Ring } from "./ring.ts";

/** How much is added before the memory is counted again. */
const COUNT_AFTER_BYTES = 262_144;
/** In how many samples the value of a field is looked for, which a broker outside has retained. */
const MAX_LOOKED_BACK = 200;

export type Channel = { capability: Capability; ring: Ring; flow: Flow };

export type Channels = {
  make(device: string, capability: Capability): Channel;
  /** True: the channel floods. */
  take(channel: Channel, nowMs: number, values: JsonObject, deviceTMs: number | undefined): boolean;
  /** Values that were measured some time ago: only what is news is kept. */
  recall(device: string, channel: Channel, values: JsonObject): void;
  bytes(): number;
  close(): void;
};

type Options = {
  now: Clock;
  memory: KeptMemory;
  /** Of all devices. */
  rings(): Iterable<Ring>;
  onSample(sample: Sample): void;
};

/** How samples get into the rings of a workspace: not faster than is kept, and not more than there is memory for. */
export function createChannels({ now, memory, rings, onSample }: Options): Channels {
  const held = new Set<Flow>();
  let flushing: NodeJS.Timeout | undefined;
  let grownBytes = 0;
  const part = memory.join(() => makeRoom());

  function append(ring: Ring, tMs: number, values: JsonObject, deviceTMs?: number): number {
    const before = ring.bytes;
    const at = ring.append(tMs, values, deviceTMs);
    noteGrowth(ring.bytes - before);
    return at;
  }

  function flushSoon(): void {
    flushing ??= setTimeout(() => {
      flushing = undefined;
      for (const flow of held) if (!flow.flush(now())) held.delete(flow);
      if (held.size > 0) flushSoon();
    }, DEVICES_LIMITS.envelopeMs).unref();
  }

  const bytes = () => Iterator.from(rings()).reduce((sum, ring) => sum + ring.bytes, 0);

  /** Counting costs a look at every channel, so it is done when that much was added. */
  function noteGrowth(by: number): void {
    grownBytes += Math.max(0, by);
    if (grownBytes < COUNT_AFTER_BYTES) return;
    grownBytes = 0;
    makeRoom();
  }

  const makeRoom = () => dropOldest(rings, bytes() - part.maxBytes());

  return {
    make(device, capability) {
      const ring = createRing(capability.fields);
      const pass = (tMs: number, values: JsonObject, deviceTMs?: number) => {
        const at = append(ring, tMs, values, deviceTMs);
        const own = deviceTMs === undefined ? {} : { deviceTMs };
        onSample({ device, capability: capability.id, tMs: at, ...own, values });
      };
      return { capability, ring, flow: createFlow(Object.keys(capability.fields), pass) };
    },
    take({ flow }, nowMs, values, deviceTMs) {
      const floods = flow.take(nowMs, values, deviceTMs);
      held.add(flow);
      flushSoon();
      return floods;
    },
    recall(device, { capability, ring }, given) {
      const news = Object.entries(given).filter(([field, value]) => lastOf(ring, field) !== JSON.stringify(value));
      if (news.length === 0) return;
      const values = Object.fromEntries(news);
      onSample({ device, capability: capability.id, tMs: append(ring, now(), values), values, isRecalled: true });
    },
    bytes,
    close() {
      clearTimeout(flushing);
      part.leave();
    },
  };
}

/** The last value of a field, as text. */
function lastOf(ring: Ring, field: string): string | undefined {
  for (let number = ring.next - 1; number >= Math.max(ring.first, ring.next - MAX_LOOKED_BACK); number -= 1) {
    const value = ring.sample(number)?.values[field];
    if (value !== undefined && value !== null) return JSON.stringify(value);
  }
  return undefined;
}

/** Last values go last, those of silent channels first. */
function dropOldest(rings: () => Iterable<Ring>, bytes: number): void {
  let over = bytes;
  while (over > 0) {
    const full = [...rings()].filter((ring) => ring.bytes > 0);
    const old = full.filter(({ oldestTMs }) => oldestTMs !== undefined);
    if (full.length === 0) return;
    if (old.length > 0) old.sort((a, b) => (a.oldestTMs ?? 0) - (b.oldestTMs ?? 0));
    else full.sort((a, b) => (a.lastTMs ?? 0) - (b.lastTMs ?? 0));
    for (const ring of old.length > 0 ? old : full) {
      if (over <= 0) return;
      over -= ring.bytes;
      ring.dropOldest();
      over += ring.bytes;
    }
  }
}
