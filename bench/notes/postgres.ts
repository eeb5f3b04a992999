import { openDatabase } from "@backplane/kit/database";
import pg from "pg";
import { createTestDatabase, startPostgres } from "../../scripts/services/index.ts";
import type { Subject } from "../harness/compare-functions.ts";
import { inFlight } from "../harness/in-flight.ts";
import { DURABLE_CONNECTIONS, IN_FLIGHT, OPERATIONS_PER_BATCH, SHORT_LIVED_CONNECTIONS } from "./sizes.ts";
import { createNewNotes, expectOne, expectRead, type Note, type Schema, someStoredId } from "./table.ts";
import { throughKit } from "./through-kit.ts";

/** One table on our own server: through the kit, and through pools of `pg` with the same number of connections. */
export async function openPostgresNotes() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startPostgres());
  const { url } = stack.use(await createTestDatabase({ serverUrl: server.url }));
  const database = await openDatabase<Schema>({ url, home: "", onLostConnection: () => {} });
  stack.defer(() => database.close());
  const durable = new pg.Pool({ connectionString: url, max: DURABLE_CONNECTIONS });
  stack.defer(() => durable.end());
  const relaxed = { options: "-c synchronous_commit=off" };
  const shortLived = new pg.Pool({ connectionString: url, max: SHORT_LIVED_CONNECTIONS, ...relaxed });
  stack.defer(() => shortLived.end());
  const notes = {
    ours: await throughKit(database, IN_FLIGHT),
    bare: {
      durableInserts: inserts("bare pg", durable),
      shortLivedInserts: inserts("bare pg, synchronous_commit off", shortLived),
      reads: reads("bare pg", shortLived),
    },
  };
  const opened = stack.move();
  return { ...notes, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function inserts(label: string, pool: pg.Pool): Subject {
  const newNote = createNewNotes(label);
  const text = "insert into notes (id, text, created_at_ms) values ($1, $2, $3)";
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, IN_FLIGHT, async () => {
        const note = newNote();
        const { rowCount } = await pool.query(text, [note.id, note.text, note.created_at_ms]);
        expectOne(label, rowCount);
      }),
  };
}

function reads(label: string, pool: pg.Pool): Subject {
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, IN_FLIGHT, async (index) => {
        const id = someStoredId(index);
        const { rows } = await pool.query<Note>("select * from notes where id = $1", [id]);
        expectRead(label, id, rows[0]);
      }),
  };
}
