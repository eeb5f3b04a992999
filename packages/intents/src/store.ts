import { type Database, prepare } from "@backplane/kit/database";
import { sql } from "kysely";

/**
 * Times are epoch milliseconds. A released migration of accounts creates these tables, because intents were part of that
 * package then; later changes to them are migrations of this package.
 */
export type IntentTables = {
  intents: {
    token_hash: string;
    state: "pending" | "authenticated" | "denied";
    confirmation_code: string;
    app_name: string | null;
    code_challenge: string | null;
    max_age_s: number;
    created_at_ms: number;
    expires_at_ms: number;
    created_address: string;
    created_program: string | null;
    wrong_codes: number;
    user_id: string | null;
    decided_at_ms: number | null;
    session_id: string | null;
    /** The session token, sealed with a key that is derived from the intent's token. */
    sealed_token: string | null;
    /** Who retrieved it first: an address (IPv6: its /64), or "verifier". */
    consumer: string | null;
    consumed_at_ms: number | null;
  };
  intent_callers: { intent_hash: string; address: string; program: string | null; first_seen_ms: number };
};

export type IntentRow = IntentTables["intents"];

const NEW_COLUMNS = [
  "token_hash",
  "confirmation_code",
  "app_name",
  "code_challenge",
  "max_age_s",
  "created_at_ms",
  "expires_at_ms",
  "created_address",
  "created_program",
] as const satisfies (keyof IntentRow)[];

export type NewIntent = Pick<IntentRow, (typeof NEW_COLUMNS)[number]>;

const STATUS_COLUMNS = [
  "state",
  "expires_at_ms",
  "code_challenge",
  "consumer",
  "session_id",
  "sealed_token",
  "created_address",
] as const satisfies (keyof IntentRow)[];

/** What a status call needs to know. */
export type StatusRow = Pick<IntentRow, (typeof STATUS_COLUMNS)[number]>;

export type EndedIntent = StatusRow & Pick<IntentRow, "token_hash">;

export type IntentStore = ReturnType<typeof createIntentStore>;

/** Intents as programs see them: created, read, retrieved. Statements that run for every call are prepared. */
export function createIntentStore({ durable, shortLived }: Database<IntentTables>) {
  const read = prepare(({ hash }: { hash: string }) =>
    shortLived.selectFrom("intents").selectAll().where("token_hash", "=", hash),
  );
  const readStatus = prepare(({ hash }: { hash: string }) =>
    shortLived.selectFrom("intents").select(STATUS_COLUMNS).where("token_hash", "=", hash),
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
    insert: batchInserts((count) => prepareInsert({ shortLived }, count)),

    async read(hash: string): Promise<IntentRow | undefined> {
      return (await read(shortLived, { hash })).rows[0];
    },

    async readStatus(hash: string): Promise<StatusRow | undefined> {
      return (await readStatus(shortLived, { hash })).rows[0];
    },

    /** Those that were decided or have expired. */
    endedAmong(hashes: readonly string[], nowMs: number): Promise<EndedIntent[]> {
      return shortLived
        .selectFrom("intents")
        .select(["token_hash", ...STATUS_COLUMNS])
        .where("token_hash", "in", hashes)
        .where((row) => row.or([row("state", "<>", "pending"), row("expires_at_ms", "<=", nowMs)]))
        .execute();
    },

    /** Exactly one of several concurrent callers becomes the consumer. */
    async bind(hash: string, consumer: string, nowMs: number): Promise<boolean> {
      return (await bind(durable, { hash, consumer, nowMs })).numAffectedRows === 1n;
    },
  };
}

type InsertMany<Row> = (rows: readonly Row[]) => Promise<unknown>;

function prepareInsert(
  { shortLived }: Pick<Database<IntentTables>, "shortLived">,
  count: number,
): InsertMany<NewIntent> {
  const run = prepare((value: readonly unknown[]) =>
    shortLived.insertInto("intents").values(
      Array.from({ length: count }, (_, row) => ({
        ...(Object.fromEntries(
          NEW_COLUMNS.map((column, place) => [column, value[row * NEW_COLUMNS.length + place]]),
        ) as NewIntent),
        state: sql.lit("pending"),
        wrong_codes: sql.lit(0),
      })),
    ),
  );
  return (rows) => {
    const values: unknown[] = [];
    for (const row of rows) for (const column of NEW_COLUMNS) values.push(row[column]);
    return run(shortLived, values);
  };
}

/** Rows per statement. One statement is prepared for each number of rows up to it. */
const MAX_ROWS = 32;

/**
 * Writes the rows that arrive in one turn of the event loop with few statements, so that they share the cost of a commit.
 * Each caller's promise resolves when its own row is written.
 */
export function batchInserts<Row>(prepareFor: (count: number) => InsertMany<Row>): (row: Row) => Promise<void> {
  const prepared = new Map<number, InsertMany<Row>>();
  let waiting: { row: Row; resolve: () => void; reject: (error: unknown) => void }[] = [];

  function insertFor(count: number): InsertMany<Row> {
    const known = prepared.get(count);
    if (known) return known;
    const insert = prepareFor(count);
    prepared.set(count, insert);
    return insert;
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    for (let from = 0; from < batch.length; from += MAX_ROWS) {
      const part = batch.slice(from, from + MAX_ROWS);
      insertFor(part.length)(part.map(({ row }) => row)).then(
        () => {
          for (const { resolve } of part) resolve();
        },
        (error) => {
          for (const { reject } of part) reject(error);
        },
      );
    }
  }

  return (row) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ row, resolve, reject });
    });
}
