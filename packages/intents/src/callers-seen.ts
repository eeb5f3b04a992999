import type { Clock } from "@backplane/kit/clock";
import { programOf } from "@backplane/kit/http";
import type { RequestStore } from "./request-store.ts";
import type { Asker } from "./status.ts";

/** Of each of two generations; whoever is forgotten is written once more, which changes nothing. */
const MAX_REMEMBERED = 10_000;

/** Writes down each caller that waits for somebody else's intent, once and not at every poll. */
export function createCallersSeen({ requests, now }: { requests: RequestStore; now: Clock }) {
  let young = new Set<string>();
  let old = new Set<string>();

  return async function noteCaller(hash: string, { key, userAgent }: Asker): Promise<void> {
    const seen = `${hash} ${key}`;
    if (young.has(seen) || old.has(seen)) return;
    await requests.addCaller(hash, { address: key, program: programOf(userAgent), first_seen_ms: now() });
    if (young.size >= MAX_REMEMBERED) {
      old = young;
      young = new Set();
    }
    young.add(seen);
  };
}
