import type { Database } from "@backplane/kit/database";
import { type Kysely, sql } from "kysely";
import type { Subject } from "../harness/compare-functions.ts";
import { inFlight } from "../harness/in-flight.ts";
import { OPERATIONS_PER_BATCH, STORED_NOTES } from "./sizes.ts";
import {
  createNewNotes,
  createNotes,
  expectOne,
  expectRead,
  type Note,
  type Schema,
  someStoredId,
  storedId,
} from "./table.ts";

/** The table through the kit, on either engine: as the areas use it. */
export async function throughKit(database: Database<Schema>, width: number) {
  const { durable, shortLived } = database;
  await sql.raw(createNotes).execute(durable);
  await durable.transaction().execute(async (transaction) => {
    for (let index = 0; index < STORED_NOTES; index++) {
      await transaction
        .insertInto("notes")
        .values({ id: storedId(index), text: "stored", created_at_ms: index })
        .execute();
    }
  });
  return {
    durableInserts: inserts("kit durable", durable, width),
    shortLivedInserts: inserts("kit shortLived", shortLived, width),
    reads: reads("kit shortLived", shortLived, width),
    compiledReads: compiledReads("kit shortLived", shortLived, width),
  };
}

function inserts(label: string, db: Kysely<Schema>, width: number): Subject {
  const newNote = createNewNotes(label);
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, width, async () => {
        const { numInsertedOrUpdatedRows } = await db.insertInto("notes").values(newNote()).executeTakeFirst();
        expectOne(label, numInsertedOrUpdatedRows);
      }),
  };
}

function reads(label: string, db: Kysely<Schema>, width: number): Subject {
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, width, async (index) => {
        const id = someStoredId(index);
        expectRead(label, id, await db.selectFrom("notes").selectAll().where("id", "=", id).executeTakeFirst());
      }),
  };
}

/** The same read with the query built once: the rest is the cost of driver and connection. */
function compiledReads(label: string, db: Kysely<Schema>, width: number): Subject {
  const compiled = db.selectFrom("notes").selectAll().where("id", "=", "").compile();
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, width, async (index) => {
        const id = someStoredId(index);
        const { rows } = await db.executeQuery<Note>({ ...compiled, parameters: [id] });
        expectRead(label, id, rows[0]);
      }),
  };
}
