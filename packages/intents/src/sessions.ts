import type { Transaction } from "kysely";
import type { IntentTables } from "./store.ts";

/** The session that an approval makes, and the browser session in which the person approves. */
export type SessionGrant = {
  userId: string;
  name: string;
  program: string | null;
  address: string;
  maxAgeS: number;
  approvedBy: string;
};

/** What intents need of accounts. Areas do not import each other: platform passes it in. */
export type Sessions = {
  /** 401 when the account was removed; it cannot be removed before the transaction ends. */
  lockUser(transaction: Transaction<IntentTables>, userId: string): Promise<void>;
  /** 401 when the approving session has ended. `ended`: older sessions that made room for this one. */
  grant(
    transaction: Transaction<IntentTables>,
    grant: SessionGrant,
    nowMs: number,
  ): Promise<{ id: string; token: string; ended: readonly string[] }>;
  exists(id: string, nowMs: number): Promise<boolean>;
  /** Which of these sessions still exist. */
  existing(ids: readonly string[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Where the sessions of a person were created or used. */
  addressesOf(userId: string): Promise<string[]>;
  setAddress(id: string, address: string): Promise<void>;
  /** Remembers that this address was refused the session's token, at most once per `everyMs`. */
  noteRefused(id: string, address: string, nowMs: number, everyMs: number): Promise<void>;
};
