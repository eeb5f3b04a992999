import type { BatchGuard } from "@backplane/kit/database";
import type { Compilable, RawBuilder, SqlBool } from "kysely";

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
  /** The account exists; else 401. */
  guardUser(userId: string): BatchGuard;
  /**
   * A new session. Guard: the approving session exists; else 401. `create` are the last statements of the batch: they create
   * the session if the condition holds then, and the first of them returns the ids of older sessions that made room for it.
   */
  grant(
    grant: SessionGrant,
    nowMs: number,
    onlyIf: (id: string) => RawBuilder<SqlBool>,
  ): {
    id: string;
    token: string;
    guard: BatchGuard;
    create: [makeRoom: Compilable<{ id: string }>, insert: Compilable];
  };
  exists(id: string, nowMs: number): Promise<boolean>;
  /** Which of these sessions still exist. */
  existing(ids: readonly string[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Where the sessions of a person were created or used. */
  addressesOf(userId: string): Promise<string[]>;
  setAddress(id: string, address: string): Promise<void>;
  /** Remembers that this address was refused the session's token, at most once per `everyMs`. */
  noteRefused(id: string, address: string, nowMs: number, everyMs: number): Promise<void>;
};
