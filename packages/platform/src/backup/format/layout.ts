import type { AppliedMigration } from "@backplane/kit/database";

/**
 * What lies where in a backup. It is one tar file: `backplane.json` first, then archives, files and screenshots, the tables,
 * `removed.ndjson`, and `end.ndjson` last. In between, `digests/` lists the digests of the entries before it.
 *
 * An entry's digest covers its header, content and padding. A list is an entry itself, so its digest is in the next list; the
 * last entry ends with a digest of itself, and after it there are only zeros. So every byte is covered by exactly one check.
 */

export const FORMAT = 1;

export const BEGIN = "backplane.json";
export const END = "end.ndjson";
/** Names of entries that do not count: the files were removed before the moment, but after they were copied. */
export const REMOVED = "removed.ndjson";

export const DIGESTS_PER_LIST = 2_000;
const LISTS = "digests/";
export const listName = (number: number): string => `${LISTS}${String(number).padStart(6, "0")}.ndjson`;
export const isList = (name: string): boolean => name.startsWith(LISTS);

export const digestLine = (name: string, sha256: string): string => `${JSON.stringify({ name, sha256 })}\n`;
export const ownDigestLine = (sha256: string): string => `${JSON.stringify({ sha256 })}\n`;

/** The first entry. */
export type Beginning = {
  format: number;
  /** Of the program that wrote it. */
  version: string;
  engine: "sqlite" | "postgres";
  startedAt: string;
};

export type TableSummary = { rows: number; sha256: string };

/** In the last entry. */
export type Summary = {
  entries: number;
  /** Every write that was acknowledged before it is in the backup. */
  moment: string;
  /** Which tables there were. */
  migrations: AppliedMigration[];
  tables: Record<string, TableSummary>;
};

const TABLES = "tables/";
/** A table is one or more entries: rows are written before it is known how many there are. */
export const tablePartName = (table: string, number: number): string =>
  `${TABLES}${table}/${String(number).padStart(6, "0")}.ndjson`;
export const tableOf = (name: string): string | undefined =>
  /^tables\/([a-z_0-9]{1,60})\/\d{6,}\.ndjson$/.exec(name)?.[1];
