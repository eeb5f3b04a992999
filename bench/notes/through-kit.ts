import { type Database, prepare } from "@backplane/kit/database";
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
    preparedReads: preparedReads("kit shortLived", shortLived, width),
    preparedInserts: preparedInserts("kit durable", durable, width),
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

/** As the paths that run for every call do it. */
function preparedReads(label: string, db: Kysely<Schema>, width: number): Subject {
  const read = prepare((values: { id: string }) => db.selectFrom("notes").selectAll().where("id", "=", values.id));
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, width, async (index) => {
        const id = someStoredId(index);
        const { rows } = await read(db, { id });
        expectRead(label, id, rows[0]);
      }),
  };
}

function preparedInserts(label: string, db: Kysely<Schema>, width: number): Subject {
  const newNote = createNewNotes(`${label} prepared`);
  const insert = prepare(({ id, text, created_at_ms }: Note) =>
    db.insertInto("notes").values({ id, text, created_at_ms }),
  );
  return {
    label,
    batch: () =>
      inFlight(OPERATIONS_PER_BATCH, width, async () => {
        const { numAffectedRows } = await insert(db, newNote());
        expectOne(label, numAffectedRows);
      }),
  };
}
