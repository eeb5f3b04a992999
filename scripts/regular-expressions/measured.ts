import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Expressions that were found to be fast, by their hashes, so that `npm test` measures only new ones; `npm run test:long`
// measures all. After many new ones: MEASURED=write node --test scripts/regular-expressions/regular-expressions.test.ts
const file = join(import.meta.dirname, "measured.txt");

const HASH_LENGTH = 16;
const hash = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);

/** What they were measured with: another attack or another engine makes the list worthless. */
const measuredWith = (): string =>
  hash(
    [
      process.versions.v8,
      ...["attacks.ts", "measure.ts"].map((name) => readFileSync(join(import.meta.dirname, name), "utf8")),
    ].join("\0"),
  );

const [writtenWith, ...hashes] = readFileSync(file, "utf8").trim().split("\n");
const known: ReadonlySet<string> = new Set(writtenWith === measuredWith() ? hashes : []);

export const isMeasured = (expression: string): boolean => known.has(hash(expression));

export function writeMeasured(expressions: readonly string[]): void {
  writeFileSync(file, `${[measuredWith(), ...expressions.map(hash).sort()].join("\n")}\n`);
}
