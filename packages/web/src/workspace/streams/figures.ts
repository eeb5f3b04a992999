const TICKS_PER_MS = 90;
const WRAP = 2 ** 32;
/** How many seconds the small curves show. */
export const CURVE_S = 60;

/** What a connection is doing, per second. Undefined: not known yet. */
export type Figures = {
  fps: number | undefined;
  roundTripMs: number | undefined;
  jitterBufferMs: number | undefined;
  /** Of all packets since the beginning, in percent. */
  lostPct: number | undefined;
  kbitPerS: number | undefined;
  freezes: number | undefined;
  decoded: number;
};

/** The counters of a connection at one time, as the browser has them. */
export type Counters = {
  atMs: number;
  decoded: number;
  bytes: number;
  lost: number;
  received: number;
  freezes: number;
  bufferS: number;
  buffered: number;
  roundTripS: number | undefined;
};

type Stat = { type: string; kind?: string } & Record<string, unknown>;

export function countersOf(stats: Iterable<unknown>, atMs: number): Counters | undefined {
  const all = [...stats] as Stat[];
  const video = all.find(({ type, kind }) => type === "inbound-rtp" && kind === "video");
  if (!video) return undefined;
  const number = (name: string): number => (typeof video[name] === "number" ? video[name] : 0);
  const pair = all.find((stat) => stat.type === "candidate-pair" && stat.nominated === true);
  const roundTripS = typeof pair?.currentRoundTripTime === "number" ? pair.currentRoundTripTime : undefined;
  return {
    ...{ atMs, decoded: number("framesDecoded"), bytes: number("bytesReceived"), lost: number("packetsLost") },
    ...{ received: number("packetsReceived"), freezes: number("freezeCount"), bufferS: number("jitterBufferDelay") },
    ...{ buffered: number("jitterBufferEmittedCount"), roundTripS },
  };
}

export function figuresBetween(before: Counters, now: Counters): Figures {
  const seconds = (now.atMs - before.atMs) / 1_000;
  const perSecond = (value: number): number | undefined => (seconds > 0 ? value / seconds : undefined);
  const buffered = now.buffered - before.buffered;
  const bits = perSecond((now.bytes - before.bytes) * 8);
  const packets = now.received + now.lost;
  return {
    fps: perSecond(now.decoded - before.decoded),
    roundTripMs: now.roundTripS === undefined ? undefined : now.roundTripS * 1_000,
    jitterBufferMs: buffered > 0 ? ((now.bufferS - before.bufferS) / buffered) * 1_000 : undefined,
    lostPct: packets > 0 ? (Math.max(0, now.lost) / packets) * 100 : undefined,
    kbitPerS: bits === undefined ? undefined : bits / 1_000,
    freezes: now.freezes,
    decoded: now.decoded,
  };
}

/** How long ago the server had a picture: its RTP time is the server's, in ticks of a 32-bit clock. */
export function delayOf(rtpTimestamp: number, serverMs: number): number {
  const ticks = (Math.round(serverMs * TICKS_PER_MS) - rtpTimestamp) % WRAP;
  const signed = ticks > WRAP / 2 ? ticks - WRAP : ticks < -WRAP / 2 ? ticks + WRAP : ticks;
  return signed / TICKS_PER_MS;
}

export type ClockOffset = { take(sentMs: number, gotMs: number, serverMs: number): void; ms(): number };

/** The difference between the server's clock and ours, by the quickest of the last answers. */
export function createClockOffset(keep = 8): ClockOffset {
  let taken: { tookMs: number; offsetMs: number }[] = [];
  return {
    take(sentMs, gotMs, serverMs) {
      taken = [...taken, { tookMs: gotMs - sentMs, offsetMs: serverMs - (sentMs + gotMs) / 2 }].slice(-keep);
    },
    ms: () =>
      taken.reduce<(typeof taken)[number] | undefined>((a, b) => (a && a.tookMs <= b.tookMs ? a : b), undefined)
        ?.offsetMs ?? 0,
  };
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Points of a curve in a box of `width` × `height`; undefined with less than two values. */
export function curveOf(values: readonly (number | undefined)[], width: number, height: number): string | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return undefined;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const step = width / (CURVE_S - 1);
  const from = CURVE_S - values.length;
  return values
    .flatMap((value, i) => {
      if (value === undefined) return [];
      const share = high === low ? 0.5 : (value - low) / (high - low);
      return [`${((from + i) * step).toFixed(1)},${(height - 2 - share * (height - 4)).toFixed(1)}`];
    })
    .join(" ");
}
