import { join } from "node:path";
import { readRepository } from "../../metadata/read.ts";
import { fromBase64url } from "../../signing/base64url.ts";
import { type IndexStatement, SIGNED_KEY, type SignedIndex } from "../../signing/signed-index.ts";
import { readStatement } from "../../signing/statement.ts";
import { INDEX_NAMES, type IndexPart } from "./places.ts";
import { readIfThere } from "./write-atomically.ts";

/** What the repository.json that is there says, so far as the next one depends on it. */
export type OldRepository = {
  updateTimestamp: number;
  sha256: Partial<Record<IndexPart, string>>;
  signed?: { index: SignedIndex; statement: IndexStatement };
};

export function readOldRepository(out: string): OldRepository | undefined {
  const bytes = readIfThere(join(out, "repository.json"));
  const read = bytes && readRepository(bytes.toString());
  if (read === undefined || "faults" in read) return undefined;
  const { repository, value } = read;
  const parts = Object.keys(INDEX_NAMES) as IndexPart[];
  const signed = signedIn(value[SIGNED_KEY]);
  return {
    updateTimestamp: repository.packages.update_timestamp,
    sha256: Object.fromEntries(parts.map((part) => [part, repository[part]?.sha256])),
    ...(signed ? { signed } : {}),
  };
}

function signedIn(value: unknown): OldRepository["signed"] {
  const index = value as Partial<SignedIndex> | undefined;
  if (typeof index?.statement !== "string" || !Array.isArray(index.signatures)) return undefined;
  const bytes = fromBase64url(index.statement);
  const statement = bytes && readStatement(bytes);
  return statement && { index: index as SignedIndex, statement };
}
