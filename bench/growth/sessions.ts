import type { AccountTables } from "@backplane/accounts";
import type { Database } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import { BenchFault } from "../harness/fault.ts";
import { createWithChallenge, makeMany, pollWithVerifier } from "../intents/calls.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { type Engine, startFilled } from "./filled-platform.ts";
import { growthCase } from "./growth.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const PER_PERSON = 20;
/** Both engines limit the parameters of a statement. */
const ROWS_AT_ONCE = 1_000;
const LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Every 97th of them is used, so that none is in memory yet. */
const STEP = 97;
const POLLED = 50;

const COSTS = {
  "until it is ready": { unit: "s of CPU", bar: "flat" },
  "check of a session": { unit: "ms of CPU", bar: "flat" },
  "poll by a program": { unit: "ms of CPU", bar: "flat" },
  "create an intent": { unit: "ms of CPU", bar: "flat" },
  memory: { unit: "MB", bar: "flat" },
} as const;

const FILLED = `${PER_PERSON} sessions per account, in the tables. Each check is of another session, by its token and its person's list of sessions, so none is answered from memory.`;

const sessionsOn = (engine: Engine, name: string, filled: string) =>
  growthCase({
    ...{ name, title: `Sessions on ${engine}`, things: "sessions", sizes: SIZES, costs: COSTS, filled },
    measure: (size) => measure(size, engine),
  });

export const sessions = sessionsOn("SQLite", "sessions", FILLED);
export const sessionsOnPostgres = sessionsOn(
  "PostgreSQL",
  "sessions-postgres",
  "The same rows. CPU time is that of the platform and of PostgreSQL together, memory only the platform's.",
);

const tokenOf = (at: number): string => `tok_${String(at).padStart(43, "0")}`;

async function measure(size: number, engine: Engine) {
  await using filled = await startFilled<AccountTables>((database) => fill(database, size), engine);
  const { server, both, readyS, memoryMb } = filled;
  const read = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}${path}`, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new BenchFault(`${path} was answered with ${answer.status}.`);
  };
  const tokens = await makeMany(server.url, createWithChallenge, "token", POLLED);
  const { headers = {}, variants = [] } = pollWithVerifier(tokens);
  return {
    "until it is ready": [readyS],
    "check of a session": await cpuPerCall(both, (at) =>
      read("/auth/sessions", { authorization: `Bearer ${tokenOf((at * STEP) % size)}` }),
    ),
    "poll by a program": await cpuPerCall(both, (at) => read(variants[at % POLLED]?.path ?? "", headers)),
    "create an intent": await cpuPerCall(both, () => makeMany(server.url, createWithChallenge, "token", 1), {
      ...{ calls: 20, warmUp: 40 },
    }),
    memory: [memoryMb()],
  };
}

async function fill({ durable }: Database<AccountTables>, count: number): Promise<void> {
  const nowMs = Date.now();
  const people = Math.ceil(count / PER_PERSON);
  await inParts(
    people,
    (at) => ({ ...personOf(at), created_at_ms: nowMs }),
    async (rows) => {
      await durable.insertInto("users").values(rows).execute();
    },
  );
  await inParts(
    count,
    (at) => ({
      ...{ id: `session-${at}`, user_id: `person-${at % people}`, kind: "Application" as const, name: "Bench" },
      ...{ token_hash: hashSecret(tokenOf(at)), program: null, address: "192.0.2.1" },
      ...{ created_at_ms: nowMs, last_used_at_ms: nowMs, expires_at_ms: nowMs + LIFE_MS },
    }),
    async (rows) =>
      void (await durable
        .insertInto("sessions")
        .values(rows as never)
        .execute()),
  );
}

const personOf = (at: number) => ({
  ...{ id: `person-${at}`, name: `person-${at}`, display_name: `Person ${at}`, email: `person-${at}@example.org` },
  ...{ password_hash: "", is_owner: 0 },
});

async function inParts<Row>(
  count: number,
  rowOf: (at: number) => Row,
  write: (rows: Row[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    await write(Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, at) => rowOf(from + at)));
  }
}
