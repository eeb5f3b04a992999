import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "@backplane/kit/database";
import type { Subject } from "../harness/compare-functions.ts";
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
import { throughKit } from "./through-kit.ts";

type Synchronous = "full" | "normal";

/** The same table in two files of one folder: through the kit, and by prepared statements of node:sqlite. */
export async function openSqliteNotes() {
  await using stack = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "backplane-bench-sqlite-"));
  stack.defer(() => rmSync(home, { recursive: true, force: true }));
  const database = await openDatabase<Schema>({ url: undefined, home, onLostConnection: () => {} });
  stack.defer(() => database.close());
  const file = new DatabaseSync(join(home, "bare.db"));
  stack.defer(() => file.close());
  const notes = { ours: await throughKit(database, 1), bare: bareNotes(file) };
  const opened = stack.move();
  return { ...notes, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function bareNotes(file: DatabaseSync) {
  file.exec("pragma journal_mode = wal");
  file.exec(createNotes);
  const insert = file.prepare("insert into notes (id, text, created_at_ms) values (?, ?, ?)");
  file.exec("begin");
  for (let index = 0; index < STORED_NOTES; index++) insert.run(storedId(index), "stored", index);
  file.exec("commit");

  function inserts(synchronous: Synchronous): Subject {
    const label = `bare node:sqlite ${synchronous.toUpperCase()}`;
    const newNote = createNewNotes(synchronous);
    return {
      label,
      async batch() {
        file.exec(`pragma synchronous = ${synchronous}`);
        for (let index = 0; index < OPERATIONS_PER_BATCH; index++) {
          const { id, text, created_at_ms } = newNote();
          expectOne(label, insert.run(id, text, created_at_ms).changes);
        }
      },
    };
  }

  const select = file.prepare("select * from notes where id = ?");
  const reads: Subject = {
    label: "bare node:sqlite",
    async batch() {
      for (let index = 0; index < OPERATIONS_PER_BATCH; index++) {
        const id = someStoredId(index);
        expectRead("bare node:sqlite", id, select.get(id) as Note | undefined);
      }
    },
  };
  return { durableInserts: inserts("full"), shortLivedInserts: inserts("normal"), reads };
}
