import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { parametersOf } from "../h264.ts";
import type { Picture } from "../picture.ts";
import { fragmentOf, initOf, type Sample, TICKS } from "./boxes.ts";
import { type HlsFile, MP4_TYPE, PLAYLIST, PLAYLIST_TYPE, sampleOf } from "./files.ts";

const { hlsKeptMs, hlsPartMs, maxHlsPartMs } = DEVICES_LIMITS;
/** Pictures that are further apart than this: the camera was away. */
const GAP_MS = 1_000;
/** Beginnings of files that are kept: a camera that changes its parameters all the time loses what it sent before. */
const MAX_INITS = 32;
/** How long a picture is shown that no other one follows. */
const LAST_MS = 40;

type Part = { number: number; init: number; isNew: boolean; atMs: number; lengthMs: number; bytes: Buffer };
type Init = { number: number; sequence: Buffer; picture: Buffer; bytes: Buffer };

/** The last minute of a stream as HLS (RFC 8216): parts that begin with a key picture, in memory. */
export type Tape = {
  take(picture: Picture): void;
  /** Undefined: there is none of this name, or none any more. */
  file(name: string): HlsFile | undefined;
  /** When there is a first part. */
  ready: Promise<void>;
  /** Of the longest part, in ms: how often players ask for more. */
  longestMs(): number;
};

/** `maxBytes`: what the parts may take now. */
export function createTape(maxBytes: () => number): Tape {
  const ready = Promise.withResolvers<void>();
  const parts: Part[] = [];
  let inits: Init[] = [];
  let samples: Sample[] = [];
  let fromMs = 0;
  let startMs: number | undefined;
  let lastMs = 0;
  let waiting = 0;
  let kept = 0;
  let isNew = false;
  let count = 0;
  let breaks = 0;

  /** Ends the part that is being made. `endMs`: when the next picture comes. */
  function cut(endMs: number): void {
    const [first] = samples;
    const init = inits.at(-1);
    if (first && init && startMs !== undefined) {
      const isGap = endMs - lastMs > GAP_MS;
      const until = isGap ? lastMs + LAST_MS : endMs;
      const bytes = fragmentOf(count + 1, samples, ticksOf(until - startMs));
      parts.push({ number: count, init: init.number, isNew, atMs: fromMs, lengthMs: until - fromMs, bytes });
      kept += bytes.length;
      count += 1;
      isNew = isGap;
      ready.resolve();
    }
    samples = [];
    waiting = 0;
  }

  function dropPart(): void {
    const oldest = parts.shift();
    kept -= oldest?.bytes.length ?? 0;
    if (oldest?.isNew) breaks += 1;
  }

  function forget(): void {
    const newest = parts.at(-1);
    while (parts.length > 1 && newest) {
      const [oldest] = parts as [Part];
      if (newest.atMs - oldest.atMs <= hlsKeptMs && kept <= maxBytes()) break;
      dropPart();
    }
    const [oldest] = parts;
    if (oldest) inits = inits.filter(({ number }) => number >= oldest.init);
  }

  function forgetInit(): void {
    inits.shift();
    const [first] = inits;
    while (first && parts[0] && parts[0].init < first.number) dropPart();
  }

  /** False: nothing can be shown with these. */
  function takeParameters(units: readonly Buffer[]): boolean {
    const found = parametersOf(units);
    const before = inits.at(-1);
    if (!found) return before !== undefined;
    const { sequence, picture } = found;
    if (before?.sequence.equals(sequence) && before.picture.equals(picture)) return true;
    const bytes = initOf(sequence, picture);
    if (!bytes) return false;
    isNew ||= before !== undefined;
    inits.push({ number: (before?.number ?? -1) + 1, sequence, picture, bytes });
    if (inits.length > MAX_INITS) forgetInit();
    return true;
  }

  function take({ tMs, isKey, units }: Picture): void {
    const isLong = tMs - fromMs >= maxHlsPartMs || waiting > maxBytes() / 2;
    if (samples.length > 0 && ((isKey && tMs - fromMs >= hlsPartMs) || isLong)) {
      cut(tMs);
      forget();
    }
    if (isKey && !takeParameters(units)) return;
    if (inits.length === 0) return;
    startMs ??= tMs;
    if (samples.length === 0) fromMs = tMs;
    const sample = sampleOf(units, ticksOf(tMs - startMs));
    samples.push(sample);
    waiting += sample.bytes.length;
    lastMs = tMs;
  }

  function playlist(): string {
    // RFC 8216, 4.3.3.1: of lengths that are rounded.
    const longestS = Math.round(longestMs() / 1_000);
    const head = [
      ...["#EXTM3U", "#EXT-X-VERSION:7", `#EXT-X-TARGETDURATION:${Math.max(1, longestS)}`],
      ...[`#EXT-X-MEDIA-SEQUENCE:${parts[0]?.number ?? count}`, `#EXT-X-DISCONTINUITY-SEQUENCE:${breaks}`],
    ];
    const lines = parts.flatMap(({ number, init, isNew: isBreak, atMs, lengthMs }, i) => [
      ...(isBreak ? ["#EXT-X-DISCONTINUITY"] : []),
      ...(i === 0 || parts[i - 1]?.init !== init ? [`#EXT-X-MAP:URI="init-${init}.mp4"`] : []),
      `#EXT-X-PROGRAM-DATE-TIME:${new Date(atMs).toISOString()}`,
      `#EXTINF:${(lengthMs / 1_000).toFixed(3)},`,
      `part-${number}.m4s`,
    ]);
    return `${[...head, ...lines].join("\n")}\n`;
  }

  const longestMs = (): number => parts.reduce((most, { lengthMs }) => Math.max(most, lengthMs), 0);

  return {
    take,
    file(name) {
      if (name === PLAYLIST) return { type: PLAYLIST_TYPE, bytes: Buffer.from(playlist()) };
      const bytes =
        inits.find(({ number }) => name === `init-${number}.mp4`)?.bytes ??
        parts.find(({ number }) => name === `part-${number}.m4s`)?.bytes;
      return bytes && { type: MP4_TYPE, bytes };
    },
    ready: ready.promise,
    longestMs,
  };
}

const ticksOf = (ms: number): number => Math.round(ms * TICKS);
