import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MetadataKind } from "../schemas.ts";

/** A real published file in KiCad's spelling, valid or not, as it was found. Names of people were replaced. */
export type CorpusFile = { file: string; kind: MetadataKind; value: unknown };

export const corpus: readonly CorpusFile[] = readFileSync(join(import.meta.dirname, "corpus.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as CorpusFile);
