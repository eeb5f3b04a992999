import { compareFunctions } from "./harness/compare-functions.ts";
import type { Session } from "./harness/session.ts";
import { openPostgresNotes } from "./notes/postgres.ts";
import { IN_FLIGHT, OPERATIONS_PER_BATCH } from "./notes/sizes.ts";
import { openSqliteNotes } from "./notes/sqlite.ts";

/** What the query builder and the shared connection cost, compared with the bare drivers. */
export async function run(session: Session): Promise<void> {
  await onSqlite(session);
  await onPostgres(session);
}

async function onSqlite(session: Session): Promise<void> {
  await using notes = await openSqliteNotes();
  const common = { description: "one after the other", operationsPerBatch: OPERATIONS_PER_BATCH };
  const { ours, bare } = notes;
  await compareFunctions(session, {
    ...common,
    title: "SQLite insert, durable (FULL)",
    unit: "inserts",
    ours: ours.durableInserts,
    peers: [bare.durableInserts],
  });
  await compareFunctions(session, {
    ...common,
    title: "SQLite insert, short-lived (NORMAL)",
    unit: "inserts",
    ours: ours.shortLivedInserts,
    peers: [bare.shortLivedInserts],
  });
  await compareFunctions(session, {
    ...common,
    title: "SQLite point read",
    unit: "reads",
    ours: ours.reads,
    peers: [bare.reads],
  });
  await compareFunctions(session, {
    ...common,
    title: "SQLite point read, prepared",
    unit: "reads",
    ours: ours.preparedReads,
    peers: [bare.reads],
    targets: [{ measure: "per CPU-s", peer: bare.reads.label, atLeast: 0.75 }],
  });
  await compareFunctions(session, {
    ...common,
    title: "SQLite insert, durable, prepared",
    unit: "inserts",
    ours: ours.preparedInserts,
    peers: [bare.durableInserts],
    targets: [{ measure: "per CPU-s", peer: bare.durableInserts.label, atLeast: 0.7 }],
  });
}

async function onPostgres(session: Session): Promise<void> {
  await using notes = await openPostgresNotes();
  const common = {
    description: `${IN_FLIGHT} in flight, CPU time of the client`,
    operationsPerBatch: OPERATIONS_PER_BATCH,
  };
  const { ours, bare } = notes;
  await compareFunctions(session, {
    ...common,
    title: "PostgreSQL insert, durable",
    unit: "inserts",
    ours: ours.durableInserts,
    peers: [bare.durableInserts],
  });
  await compareFunctions(session, {
    ...common,
    title: "PostgreSQL insert, short-lived",
    unit: "inserts",
    ours: ours.shortLivedInserts,
    peers: [bare.shortLivedInserts],
  });
  await compareFunctions(session, {
    ...common,
    title: "PostgreSQL point read",
    unit: "reads",
    ours: ours.reads,
    peers: [bare.reads],
  });
}
