import { BenchFault } from "../harness/fault.ts";
import { STORED_NOTES } from "./sizes.ts";

export type Note = { id: string; text: string; created_at_ms: number };
export type Schema = { notes: Note };

/** Means the same on both engines. */
export const createNotes =
  "create table notes (id text primary key, text text not null, created_at_ms bigint not null)";

export const storedId = (index: number) => `stored-${index}`;

/** Steps through the stored rows far apart from each other, without the cost of a random number. */
export const someStoredId = (index: number) => storedId((index * 7_919) % STORED_NOTES);

/** A source of notes whose keys never repeat. */
export function createNewNotes(prefix: string): () => Note {
  let made = 0;
  return () => ({
    id: `${prefix}-${made++}`,
    text: "the text of a note, about as long as a sentence",
    created_at_ms: made,
  });
}

export function expectRead(label: string, id: string, note: Note | undefined): void {
  if (note?.id !== id) throw new BenchFault(`${label}: the note ${id} was not read back.`);
}

export function expectOne(label: string, changed: number | bigint | null | undefined): void {
  if (Number(changed) !== 1) throw new BenchFault(`${label}: an insert changed ${changed} rows.`);
}
