import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Removed } from "./removed.ts";
import { settle } from "./settle.ts";
import { PAIR } from "./storage/file-names.ts";
import { isUnsettled, nameOfFile, type PasteRecord, withoutText } from "./storage/record.ts";
import type { Store } from "./store.ts";

/** Reads what is there, finishes or undoes what the last process was doing, and forgets what its user deleted. */
export async function recover(store: Store, removed: Removed): Promise<void> {
  const { folder, records, index } = store;
  const unsettled: PasteRecord[] = [];
  await records.readAll((record) => {
    // One that is being saved is not there yet.
    if (!record.saving) index.set(withoutText(record));
    if (isUnsettled(record)) unsettled.push(record);
  });
  for (const record of unsettled) await settle(store, record, "finish");
  await removed.recover();

  const there = new Set(await readdir(folder.pairs));
  for (const entry of [...index.newestFirst()]) {
    if (PAIR.some((file) => there.has(nameOfFile(entry, file)))) continue;
    await records.remove(entry.id);
    index.delete(entry.id);
  }
  for (const name of await readdir(folder.incoming)) {
    await rm(join(folder.incoming, name), { recursive: true, force: true });
  }
}
