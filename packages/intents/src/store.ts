import { type Database, prepare } from "@backplane/kit/database";
import { batchInserts } from "./batched-inserts.ts";
import type { IntentTables } from "./tables.ts";

export type IntentRow = IntentTables["intents"];

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
export function createIntentStore({ durable, shortLived }: Database<IntentTables>) {
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

    /** Of any number of callers at once exactly one becomes the consumer. */
    async bind(hash: string, consumer: string, nowMs: number): Promise<boolean> {
      return (await bind(durable, { hash, consumer, nowMs })).numAffectedRows === 1n;
    },
  };
}
