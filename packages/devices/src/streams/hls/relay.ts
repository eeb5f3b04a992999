import { createHmac, randomBytes } from "node:crypto";
import { DEVICES_LIMITS, type StreamStatus } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Network } from "../../sources/link.ts";
import { createAudience } from "../audience.ts";
import type { Pulled } from "../puller.ts";
import { createFetch, type Fetched } from "./fetch.ts";
import { type HlsFile, type NoFile, PLAYLIST, PLAYLIST_TYPE } from "./files.ts";
import { rewritePlaylist, targetMsOf } from "./rewrite.ts";

const { maxPlaylistBytes, maxHlsFileBytes } = DEVICES_LIMITS;
/** A playlist is asked for at most this often, however many look. */
const FRESH_MS = 500;
/** Addresses that playlists have named; the oldest are forgotten. */
const MAX_NAMES = 20_000;

type Kept = { atMs: number; isList: boolean; size: number; file: Promise<Fetched> };

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
  const secret = randomBytes(16);
  const addresses = new Map<string, string>([[PLAYLIST, address]]);
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
    const ending = /\.[a-z0-9]{1,5}$/.exec(new URL(found).pathname)?.[0] ?? "";
    const name = `${createHmac("sha256", secret).update(found).digest("hex").slice(0, 32)}${ending}`;
    addresses.delete(name);
    addresses.set(name, found);
    if (addresses.size > MAX_NAMES) forgetOldest();
    return name;
  }

  function forgetOldest(): void {
    for (const name of addresses.keys()) {
      if (name === PLAYLIST) continue;
      addresses.delete(name);
      return;
    }
  }

  function fetchOnce(found: string, isList: boolean): Promise<Fetched> {
    const before = kept.get(found);
    if (before && (!before.isList || now() - before.atMs < FRESH_MS)) return before.file;
    const one: Kept = {
      ...{ atMs: now(), isList, size: 0 },
      file: fetcher.get(found, isList ? maxPlaylistBytes : maxHlsFileBytes),
    };
    kept.delete(found);
    kept.set(found, one);
    one.file.then(
      (fetched) => {
        one.size = fetched.bytes.length;
        one.isList ||= isPlaylist(fetched);
        let all = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
        for (const [key, { size }] of kept) {
          if (all <= maxBytes() || key === found) break;
          kept.delete(key);
          all -= size;
        }
      },
      () => kept.get(found) === one && kept.delete(found),
    );
    return one.file;
  }

  async function file(name: string): Promise<HlsFile | NoFile | undefined> {
    const found = addresses.get(name);
    if (found === undefined || isClosed) return undefined;
    const isFirst = name === PLAYLIST;
    try {
      const fetched = await fetchOnce(found, isFirst || name.endsWith(".m3u8"));
      const list = isPlaylist(fetched)
        ? rewritePlaylist(fetched.bytes.toString("utf8"), fetched.address, nameOf)
        : undefined;
      if (list === undefined && isFirst)
        throw new Error("There is no HLS playlist at this address: its first line would be #EXTM3U.");
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
const isPlaylist = ({ bytes }: Fetched): boolean => bytes.toString("latin1", 0, 7) === "#EXTM3U";
