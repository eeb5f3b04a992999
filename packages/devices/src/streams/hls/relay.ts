import { hash, randomBytes } from "node:crypto";
import { DEVICES_LIMITS, type StreamStatus } from "@backplane/contract/devices";
import { createAllowance } from "@backplane/kit/allowance";
import type { Clock } from "@backplane/kit/clock";
import { limitConcurrency } from "@backplane/kit/concurrency";
import type { Network } from "../../sources/link.ts";
import { createAudience } from "../audience.ts";
import type { Pulled } from "../puller.ts";
import { createFetch, type Fetched } from "./fetch.ts";
import { type HlsFile, type NoFile, PLAYLIST, PLAYLIST_TYPE } from "./files.ts";
import { isOtherText } from "./other-text.ts";
import { rewritePlaylist, targetMsOf } from "./rewrite.ts";

const { maxPlaylistBytes, maxHlsFileBytes } = DEVICES_LIMITS;
/** A playlist is asked for at most this often, however many look; a long one less often. */
const FRESH_MS = 500;
const FRESH_NAMES = 500;
/** Addresses that playlists have named, and their characters; the oldest are forgotten. */
const MAX_NAMES = 20_000;
const MAX_NAME_CHARACTERS = 4_194_304;
/** Files in memory, however small. */
const MAX_KEPT = 2_000;
/** What playlists may name: writing them anew takes our time. A kilobyte counts as a name. */
const NAMES = { burst: 10_000, perSecond: 2_000 } as const;
/**
 * What a server may send: 128 Mbit/s, and what a player asks for at its start. Each piece counts as more than its bytes: very
 * many small ones would keep this server busy as well.
 */
const TRAFFIC = { burst: 67_108_864, perSecond: 16_777_216 } as const;
const MIN_PIECE_BYTES = 2_048;
/** Files that are asked for at a time, and that wait: a playlist may name as many servers as it likes. */
const FETCHES = { atOnce: 8, maxWaiting: 100 } as const;

type Kept = { atMs: number; freshMs: number; size: number; file: Promise<Fetched>; list?: string | undefined };

export type RelayOptions = {
  address: string;
  token: string | undefined;
  network: Network;
  /** What may be kept now. */
  maxBytes: () => number;
  now: Clock;
  onStatus(status: StreamStatus): void;
  /** Nobody looks any more. */
  onEnd(): void;
};

/**
 * Somebody else's HLS, passed on: each file is fetched once for all who look here, and only files that a playlist has named.
 * Viewers see neither its addresses nor its token.
 */
export function createRelay({ address, token, network, maxBytes, now, onStatus, onEnd }: RelayOptions): Pulled {
  const fetcher = createFetch(network, address, token);
  const secret = randomBytes(16).toString("hex");
  const addresses = new Map<string, string>();
  let characters = 0;
  const allowance = createAllowance({ ...NAMES, now });
  const traffic = createAllowance({ ...TRAFFIC, now });
  const inTurn = limitConcurrency({ ...FETCHES, whenFull: () => new Error(BUSY) });
  /** Bytes of files that are on their way. */
  let arriving = 0;
  const kept = new Map<string, Kept>();
  let status: StreamStatus = { state: "connecting" };
  let targetMs = 0;
  let isClosed = false;
  const audience = createAudience(() => {
    if (isClosed) return;
    close();
    onEnd();
  });

  function set(next: StreamStatus): void {
    const isSame = JSON.stringify(next) === JSON.stringify(status);
    status = next;
    if (!isSame && !isClosed) onStatus(next);
  }

  /** Always the same for one address, so that players see that they have it already. */
  function nameOf(found: string): string {
    const ending = ENDING.exec(found)?.[1] ?? "";
    const name = `${hash("sha256", `${secret} ${found}`).slice(0, 32)}${ending}`;
    if (!addresses.delete(name)) characters += found.length;
    addresses.set(name, found);
    if (addresses.size > MAX_NAMES || characters > MAX_NAME_CHARACTERS) forgetOlder();
    return name;
  }

  /** Some at once: the oldest ones are found by a look at all that were forgotten before. */
  function forgetOlder(): void {
    for (const [oldest, forgotten] of addresses) {
      if (addresses.size <= 0.9 * MAX_NAMES && characters <= 0.9 * MAX_NAME_CHARACTERS) return;
      addresses.delete(oldest);
      characters -= forgotten.length;
    }
  }

  async function fetchFile(found: string, most: number): Promise<Fetched> {
    let mine = 0;
    try {
      return await fetcher.get(found, most, (bytes) => {
        if (!traffic.take(Math.max(bytes, MIN_PIECE_BYTES))) throw new Error(TOO_MUCH);
        if (arriving + bytes > Math.max(maxBytes(), maxHlsFileBytes)) throw new Error(BUSY);
        mine += bytes;
        arriving += bytes;
      });
    } finally {
      arriving -= mine;
    }
  }

  function fetchOnce(found: string, isList: boolean): Kept {
    const before = kept.get(found);
    if (before && now() - before.atMs < before.freshMs) return before;
    const one: Kept = {
      ...{ atMs: now(), freshMs: isList ? FRESH_MS : Number.POSITIVE_INFINITY, size: found.length },
      file: inTurn(() => fetchFile(found, isList ? maxPlaylistBytes : maxHlsFileBytes)),
    };
    kept.delete(found);
    kept.set(found, one);
    one.file.then(
      (fetched) => {
        one.size += fetched.bytes.length;
        let all = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
        for (const [key, { size }] of kept) {
          if ((all <= maxBytes() && kept.size <= MAX_KEPT) || key === found) break;
          kept.delete(key);
          all -= size;
        }
      },
      () => kept.get(found) === one && kept.delete(found),
    );
    return one;
  }

  /** The playlist with our names, or undefined: the file is none. Written once, however many ask for it. */
  function listOf(one: Kept, { bytes, address: at }: Fetched): string | undefined {
    if (one.list !== undefined || !isPlaylist(bytes)) return one.list;
    one.freshMs = FRESH_MS;
    let names = 0;
    const spend = (count: number) => {
      if (!allowance.take(count)) throw new Error(TOO_MANY_NAMES);
    };
    if (bytes.length > maxPlaylistBytes) throw new Error(TOO_MANY_NAMES);
    spend(Math.ceil(bytes.length / 1_024));
    one.list = rewritePlaylist(bytes.toString("utf8"), at, (found) => {
      spend(1);
      names += 1;
      return nameOf(found);
    });
    one.freshMs = FRESH_MS * Math.max(1, Math.ceil(names / FRESH_NAMES));
    return one.list;
  }

  async function file(name: string): Promise<HlsFile | NoFile | undefined> {
    const isFirst = name === PLAYLIST;
    const found = isFirst ? address : addresses.get(name);
    if (found === undefined || isClosed) return undefined;
    try {
      const one = fetchOnce(found, isFirst || name.endsWith(".m3u8"));
      const fetched = await one.file;
      const list = listOf(one, fetched);
      if (list === undefined && isFirst)
        throw new Error("There is no HLS playlist at this address: its first line would be #EXTM3U.");
      if (list === undefined && isOtherText(fetched.bytes)) throw new Error(NO_VIDEO);
      if (list === undefined) return { type: "application/octet-stream", bytes: fetched.bytes };
      targetMs = targetMsOf(list) ?? targetMs;
      if (isFirst) set({ state: "playing", codec: "HLS" });
      return { type: PLAYLIST_TYPE, bytes: Buffer.from(list) };
    } catch (error) {
      const reason = (error as Error).message;
      if (isFirst) set({ state: "refused", reason });
      return { reason };
    }
  }

  return {
    status: () => status,
    viewers: audience.count,
    join: () => ({ leave: audience.join(), ready: file(PLAYLIST).then(() => status) }),
    again() {},
    file,
    longestMs: () => targetMs,
    close,
  };

  function close(): void {
    isClosed = true;
    audience.close();
    fetcher.close();
    kept.clear();
  }
}

/** By its beginning: servers name playlists by many types. */
const isPlaylist = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 7) === "#EXTM3U";
/** Of a path, without what is asked for behind it. */
const ENDING = /^[^?#]*(\.[a-z0-9]{1,5})(?:[?#]|$)/;

const BUSY = "Too many files of this stream are on their way. Try again.";
const TOO_MUCH = "The server of this stream sends more than 128 Mbit/s, or very many small pieces.";
const NO_VIDEO = "A file that the playlist names is text, not video.";
const TOO_MANY_NAMES = "The playlists of this stream name very many files. Use one with fewer.";
