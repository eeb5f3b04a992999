import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { Caller, FollowAccess, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { credentialOf } from "./credentials.ts";
import { findCaller } from "./find-caller.ts";
import { createKnownCallers } from "./known-callers.ts";
import { createLastUses } from "./last-uses.ts";
import { createLastingAccess } from "./lasting-access.ts";

/** Carries what `forget` is called with. */
const CHANNEL = "callers-forget";
/** Per message. */
const MAX_IDS = 1_000;

export type Callers = {
  whoIsCalling: WhoIsCalling;
  followAccess: FollowAccess;
  /**
   * Call it after sessions or keys were deleted: from then on no instance accepts them. Also after a person left an
   * organisation or an organisation was removed, with its id or the person's. Never fails; an instance that the message
   * does not reach notices within CALLER_LIFE_MS.
   */
  forget(ids: readonly string[]): Promise<void>;
  /** Also writes the last uses that are still in memory. */
  close(): Promise<void>;
};

export type CallersOptions = {
  database: Database<AccountTables>;
  bus: Bus;
  now: Clock;
  /** Whether people reach this server over https. */
  overHttps: boolean;
  onFault: (error: unknown) => void;
  /** For tests: how often access that lasts is checked without a message. */
  checkEveryMs?: number;
};

const NOBODY: Promise<undefined> = Promise.resolve(undefined);

export async function openCallers(options: CallersOptions): Promise<Callers> {
  const { database, bus, now, overHttps, onFault } = options;
  const known = createKnownCallers(now);
  const lastUses = createLastUses({ database, onFault });
  const lasting = createLastingAccess(options);
  /** Running queries: many requests with the same credential at once lead to one query. */
  const running = new Map<string, Promise<Caller | undefined>>();

  async function query(credential: string, isCurrent: () => boolean): Promise<Caller | undefined> {
    const nowMs = now();
    const found = await findCaller(database, credential, nowMs);
    if (!found) return undefined;
    const { caller, expiresAtMs, lastUsedAtMs } = found;
    lastUses.note(caller, lastUsedAtMs, nowMs);
    if (isCurrent()) {
      const answer = Promise.resolve(caller);
      known.add(credential, { answer, credentialId: caller.credentialId, readAtMs: nowMs, expiresAtMs });
    }
    return caller;
  }

  function lookUp(credential: string): Promise<Caller | undefined> {
    const shared = running.get(credential);
    if (shared) return shared;
    // After `forget`, an answer that was read before it must be neither kept nor given to later requests.
    const isCurrent = () => running.get(credential) === answer;
    const answer = query(credential, isCurrent).finally(() => {
      if (isCurrent()) running.delete(credential);
    });
    running.set(credential, answer);
    return answer;
  }

  function forgetHere(message: JsonValue): void {
    if (!Array.isArray(message)) return;
    const ids = new Set(message.map(String));
    known.drop(ids);
    lasting.doubt(ids);
    running.clear();
  }
  const unsubscribe = await bus.subscribe(CHANNEL, forgetHere);

  return {
    // Not an async function: a hit returns the promise that already exists.
    whoIsCalling(request) {
      try {
        const credential = credentialOf(request, overHttps);
        if (credential === undefined) return NOBODY;
        return known.find(credential)?.answer ?? lookUp(credential);
      } catch (refusal) {
        return Promise.reject(refusal);
      }
    },

    followAccess: lasting.follow,

    async forget(ids) {
      for (let from = 0; from < ids.length; from += MAX_IDS) {
        const some = ids.slice(from, from + MAX_IDS);
        forgetHere(some);
        await bus.publish(CHANNEL, some).catch(onFault);
      }
    },

    async close() {
      await unsubscribe();
      await lasting.close();
      await lastUses.close();
    },
  };
}
