import { NAME_PATTERN, NamedBy, PASTE_ID_PATTERN, type Paste, SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import { fits } from "@backplane/kit/schemas";
import { type Static, Type } from "typebox";
import type { PasteFileName } from "../../services.ts";
import { nameOfFile } from "./file-names.ts";
import { PASTES_LIMITS } from "./limits.ts";

const Name = Type.String({ pattern: NAME_PATTERN, maxLength: PASTES_LIMITS.maxNameCharacters });
const NullOr = <Of extends Type.TSchema>(schema: Of) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
/** The latest time that a Date can have: a later one would break reading the list. */
const LAST_MOMENT_MS = 8.64e15;
const Moment = Type.Integer({ minimum: 0, maximum: LAST_MOMENT_MS });
const Inode = Type.String({ pattern: "^[0-9]{1,20}$" });
/** A plain file name in the incoming folder, never a path. */
const IncomingFile = Type.String({ pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$" });

const FileFacts = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  bytes: Count,
  /** Tells our file from another with the same name; hard links share it. */
  inode: Inode,
});

/**
 * Everything about a screenshot but its pixels. It is also the journal: `saving`, `renaming`, `leaving` and `squeezing` say
 * which change is under way, so that it can be finished or undone after a crash.
 */
const PasteRecord = Type.Object({
  version: Type.Literal(1),
  id: Type.String({ pattern: PASTE_ID_PATTERN }),
  name: Name,
  /** The name without the number that it may have got. */
  base: Name,
  namedBy: NullOr(NamedBy),
  status: Type.Union([Type.Literal("naming"), Type.Literal("named")]),
  suggestions: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 }),
  text: NullOr(Type.String({ maxLength: PASTES_LIMITS.maxTextCharacters })),
  optimized: FileFacts,
  original: FileFacts,
  pasted: Type.Object({ type: Type.String({ maxLength: 100 }), bytes: Count }),
  receivedAtMs: Moment,
  namedAfterMs: NullOr(Count),
  title: NullOr(Type.String({ maxLength: PASTES_LIMITS.maxTitleCharacters })),
  instance: NullOr(Type.String({ maxLength: PASTES_LIMITS.maxInstanceCharacters })),
  isSqueezed: Type.Boolean(),
  /** Where the files are until both have their names. */
  saving: Type.Optional(Type.Object({ upload: IncomingFile, optimized: IncomingFile, original: IncomingFile })),
  /** The files may already have this name, too. */
  renaming: Type.Optional(Type.Object({ name: Name, base: Name, by: NullOr(NamedBy) })),
  /** The files may still have this name, too. */
  leaving: Type.Optional(Name),
  /** The optimized file may already be this one. */
  squeezing: Type.Optional(Type.Object({ bytes: Count, inode: Inode })),
  removedAtMs: Type.Optional(Moment),
});
export type PasteRecord = Static<typeof PasteRecord>;

/** What is kept in memory. */
export type Entry = Omit<PasteRecord, "text">;

export const isUnsettled = (record: Entry): boolean =>
  (record.saving ?? record.renaming ?? record.leaving ?? record.squeezing) !== undefined;

/** Undefined if the record is not valid. Strict, because names become paths. */
export function parseRecord(text: string, id: string): PasteRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return fits(PasteRecord, record) && record.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}

export function withoutText({ text: _, ...entry }: PasteRecord): Entry {
  return entry;
}

export function toPaste(record: Entry): Paste {
  const file = (which: PasteFileName) => {
    const { width, height, bytes } = record[which];
    return { path: `${SCREENSHOTS_FOLDER}/${nameOfFile(record, which)}`, width, height, bytes };
  };
  return {
    id: record.id,
    status: record.status,
    name: record.name,
    namedBy: record.namedBy,
    suggestions: [...record.suggestions],
    optimized: file("optimized"),
    original: file("original"),
    pasted: { ...record.pasted },
    pastedAt: new Date(record.receivedAtMs).toISOString(),
    namedAfterMs: record.namedAfterMs,
    title: record.title,
    instance: record.instance,
  };
}
