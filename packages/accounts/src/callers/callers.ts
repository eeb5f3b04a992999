import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { Caller, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { credentialOf } from "./credential-of.ts";
import { findCaller } from "./find-caller.ts";
import { createKnownCallers } from "./known-callers.ts";
import { createLastUses } from "./last-uses.ts";

/** Told on it: ids of sessions and keys that ended. */
const CHANNEL = "callers-forget";
/** Ids of one message. */
const MAX_IDS = 1_000;

export type Callers = {
  whoIsCalling: WhoIsCalling;
  /**
   * To be called after a session or key was deleted: no instance answers for it any more. Never fails; an instance that
   * cannot be told forgets by itself within CALLER_LIFE_MS.
   */
  forget(credentialIds: readonly string[]): Promise<void>;
  /** Writes the last uses that are not written yet. */
  close(): Promise<void>;
};

export type CallersOptions = {
  database: Database<AccountTables>;
  bus: Bus;
  now: Clock;
  /** Whether people reach this server over https. */
  overHttps: boolean;
  onFault: (error: unknown) => void;
};

const NOBODY: Promise<undefined> = Promise.resolve(undefined);

export async function openCallers({ database, bus, now, overHttps, onFault }: CallersOptions): Promise<Callers> {
  const known = createKnownCallers();
  const lastUses = createLastUses({ database, onFault });
  /** Queries under way: however many requests bring one credential at once, the database is asked once. */
  const asked = new Map<string, Promise<Caller | undefined>>();

  async function look(credential: string, isCurrent: () => boolean): Promise<Caller | undefined> {
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

  function ask(credential: string): Promise<Caller | undefined> {
    const underWay = asked.get(credential);
    if (underWay) return underWay;
    // Once something was forgotten, an answer that was read before may not be kept, nor given to who asks later.
    const isCurrent = () => asked.get(credential) === answer;
    const answer = look(credential, isCurrent).finally(() => {
      if (isCurrent()) asked.delete(credential);
    });
    asked.set(credential, answer);
    return answer;
  }

  function forgetHere(message: JsonValue): void {
    if (!Array.isArray(message)) return;
    known.drop(new Set(message.map(String)));
    asked.clear();
  }
  const unsubscribe = await bus.subscribe(CHANNEL, forgetHere);

  return {
    // Not an async function: a hit hands out the promise that is there.
    whoIsCalling(request) {
      try {
        const credential = credentialOf(request, overHttps);
        if (credential === undefined) return NOBODY;
        return known.find(credential, now())?.answer ?? ask(credential);
      } catch (refusal) {
        return Promise.reject(refusal);
      }
    },

    async forget(credentialIds) {
      for (let from = 0; from < credentialIds.length; from += MAX_IDS) {
        const ids = credentialIds.slice(from, from + MAX_IDS);
        forgetHere(ids);
        await bus.publish(CHANNEL, ids).catch(onFault);
      }
    },

    async close() {
      await unsubscribe();
      await lastUses.close();
    },
  };
}
