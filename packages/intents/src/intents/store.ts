import { type Database, prepare } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { batchInserts } from "./batched-inserts.ts";

export type IntentRow = AccountTables["intents"];

/** What a status call needs to know. */
export type IntentStanding = Pick<
  IntentRow,
  "state" | "expires_at_ms" | "code_challenge" | "consumer" | "session_id" | "sealed_token" | "created_address"
>;

export type EndedIntent = IntentStanding & Pick<IntentRow, "token_hash">;

const STANDING = [
  "state",
  "expires_at_ms",
  "code_challenge",
  "consumer",
  "session_id",
  "sealed_token",
  "created_address",
] as const;

export type NewIntent = Pick<
  IntentRow,
  | "token_hash"
  | "confirmation_code"
  | "app_name"
  | "code_challenge"
  | "max_age_s"
  | "created_at_ms"
  | "expires_at_ms"
  | "created_address"
  | "created_program"
>;

const COLUMNS: readonly (keyof NewIntent)[] = [
  "token_hash",
  "confirmation_code",
  "app_name",
  "code_challenge",
  "max_age_s",
  "created_at_ms",
  "expires_at_ms",
  "created_address",
  "created_program",
];

export type IntentStore = ReturnType<typeof createIntentStore>;

/** Intents as programs see them: made, read, retrieved. What is run for every call is prepared. */
export function createIntentStore({ durable, shortLived }: Database<AccountTables>) {
  const insert = batchInserts<NewIntent>((count) => {
    const places = Array.from({ length: count }, (_, place) => String(place));
    const run = prepare((value: Record<string, never>) =>
      shortLived.insertInto("intents").values(
        places.map((place) => ({
          ...(Object.fromEntries(COLUMNS.map((column) => [column, value[column + place]])) as unknown as NewIntent),
          state: "pending" as const,
          wrong_codes: 0,
        })),
      ),
    );
    return (rows) => {
      const values: Record<string, unknown> = {};
      for (const [place, row] of rows.entries()) for (const column of COLUMNS) values[column + place] = row[column];
      return run(shortLived, values as Record<string, never>);
    };
  });
  const read = prepare(({ hash }: { hash: string }) =>
    shortLived.selectFrom("intents").selectAll().where("token_hash", "=", hash),
  );
  const readStanding = prepare(({ hash }: { hash: string }) =>
    shortLived.selectFrom("intents").select(STANDING).where("token_hash", "=", hash),
  );
  // The user is joined although a session goes with its user: a token is never handed out for nobody.
  const findSession = prepare((given: { id: string; nowMs: number }) =>
    shortLived
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select("sessions.id")
      .where("sessions.id", "=", given.id)
      .where("sessions.expires_at_ms", ">", given.nowMs),
  );
  const bind = prepare((given: { hash: string; consumer: string; nowMs: number }) =>
    durable
      .updateTable("intents")
      .set({ consumer: given.consumer, consumed_at_ms: given.nowMs })
      .where("token_hash", "=", given.hash)
      .where("state", "=", "authenticated")
      .where("consumer", "is", null),
  );

  return {
    insert,

    async read(hash: string): Promise<IntentRow | undefined> {
      return (await read(shortLived, { hash })).rows[0];
    },

    async readStanding(hash: string): Promise<IntentStanding | undefined> {
      return (await readStanding(shortLived, { hash })).rows[0];
    },

    /** Those that were answered, or whose time is over. */
    endedAmong(hashes: readonly string[], nowMs: number): Promise<EndedIntent[]> {
      return shortLived
        .selectFrom("intents")
        .select(["token_hash", ...STANDING])
        .where("token_hash", "in", hashes)
        .where((row) => row.or([row("state", "<>", "pending"), row("expires_at_ms", "<=", nowMs)]))
        .execute();
    },

    async sessionExists(id: string, nowMs: number): Promise<boolean> {
      return (await findSession(shortLived, { id, nowMs })).rows.length > 0;
    },

    /** Of any number of callers at once exactly one becomes the consumer. */
    async bind(hash: string, consumer: string, nowMs: number): Promise<boolean> {
      return (await bind(durable, { hash, consumer, nowMs })).numAffectedRows === 1n;
    },

    /** The session is used from where its token was retrieved, not from where it was asked for. */
    async moveSession(id: string, address: string): Promise<void> {
      await durable.updateTable("sessions").set({ address }).where("id", "=", id).execute();
    },

    /** At most one row changes, and for one address at most once in `everyMs`, however often it asks. */
    async noteRefused(sessionId: string, address: string, nowMs: number, everyMs: number): Promise<void> {
      await durable
        .updateTable("sessions")
        .set({ refused_address: address, refused_at_ms: nowMs })
        .where("id", "=", sessionId)
        .where((row) =>
          row.or([
            row("refused_address", "is", null),
            row("refused_address", "<>", address),
            row("refused_at_ms", "<=", nowMs - everyMs),
          ]),
        )
        .execute();
    },
  };
}
