import type { Package } from "@backplane/contract/registry";
import type { Note } from "../../metadata/read.ts";
import type { SignedFile } from "../../signing/signed-index.ts";

/** What an archive of the input is, beside its metadata. */
export type SourceArchive = {
  sha256: string;
  size: number;
  installSize: number;
  manifest: SignedFile;
  /** The sha256 of its icon. */
  icon?: string;
  /** Below the repository's own folder, when it lies there already and stays where it is. */
  place?: string;
};

/** One package as one file of the input says it, in the neutral spelling; with an archive it has exactly one version. */
export type Source = { file: string; package: Package; archive?: SourceArchive };

/** What a file of the input holds, and what is odd about it without being wrong. */
export type ReadInput = { sources: Source[]; notes: Note[] } | { faults: Note[] };

/** A fault of a file of the input, by the name that the person knows it by. */
export const faultOf = (file: string, rule: string, message: string): Note => ({
  level: "error",
  rule,
  path: file,
  message,
});
