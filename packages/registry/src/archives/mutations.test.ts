import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { acceptedArchives } from "./accepted.suite.ts";
import { extractArchive } from "./extract.ts";
import { newFolder } from "./folder.suite.ts";
import { inspectArchive } from "./read-archive.ts";
import { sampleArchive } from "./samples.suite.ts";

const INSPECTED_RUNS = trials(1_500);
const EXTRACTED_RUNS = trials(200);

const originals = [sampleArchive(), ...acceptedArchives().map(({ bytes }) => bytes)];

/** At a position between 0 and 1 of the archive; half of them near its end, where the directory is. */
const place = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.6, max: 1, noNaN: true }));
const change = fc.oneof(
  fc.record({ kind: fc.constant("bit" as const), place, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("put" as const), place, bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constant("put" as const), place, bytes: fc.constantFrom(...telling()) }),
  fc.record({ kind: fc.constant("insert" as const), place, bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }) }),
  fc.record({ kind: fc.constant("remove" as const), place, length: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant("repeat" as const), place, from: place, length: fc.integer({ min: 1, max: 300 }) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Boundary values, and the signatures of the format. */
function telling(): Uint8Array[] {
  const numbers = ["00", "ffff", "ffffffff", "00000000", "ffffff7f", "ffffffffffffffff", "2e2e2f", "0100", "0800"];
  const signatures = ["504b0304", "504b0102", "504b0506", "504b0606", "504b0607", "504b0708"];
  return [...numbers, ...signatures].map((hex) => Buffer.from(hex, "hex"));
}

function mutate(original: Buffer, changes: readonly Change[]): Buffer {
  let bytes = Buffer.from(original);
  for (const change of changes) {
    const at = Math.floor(change.place * Math.max(0, bytes.length - 1));
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (change.kind === "bit") bytes[at] = (bytes[at] ?? 0) ^ (1 << change.bit);
    else if (change.kind === "put") bytes = Buffer.concat([before, change.bytes, after.subarray(change.bytes.length)]);
    else if (change.kind === "insert") bytes = Buffer.concat([before, change.bytes, after]);
    else if (change.kind === "remove") bytes = Buffer.concat([before, after.subarray(change.length)]);
    else {
      const from = Math.floor(change.from * bytes.length);
      bytes = Buffer.concat([before, bytes.subarray(from, from + change.length), after]);
    }
  }
  return bytes;
}

const mutant = fc.record({
  original: fc.nat(originals.length - 1),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
});

/** The time of the first file in its own header, which nobody reads: such an archive is taken. */
const harmless = { original: 0, changes: [{ kind: "bit" as const, place: 10.5 / sampleArchive().length, bit: 0 }] };

test("however an archive is changed, it is refused or has the same contents", async (t) => {
  const folder = await newFolder(t);
  const file = join(folder, "mutant.zip");
  const rights = await Promise.all(
    originals.map(async (bytes, index) => {
      await writeFile(join(folder, `${index}.zip`), bytes);
      return inspectArchive(join(folder, `${index}.zip`));
    }),
  );
  let refused = 0;
  let taken = 0;
  const law = fc.asyncProperty(mutant, fc.boolean(), async ({ original, changes }, onDisk) => {
    await writeFile(file, mutate(originals[original] ?? Buffer.alloc(0), changes));
    const inspected = await inspectArchive(file, onDisk ? { heldBytes: 0 } : {});
    const right = rights[original];
    if ("refusal" in inspected) refused++;
    else {
      taken++;
      assert.deepEqual(inspected.archive, right && "archive" in right && right.archive);
    }
  });
  await fc.assert(law, { numRuns: INSPECTED_RUNS, examples: [[harmless, false]] });
  assert.ok(refused > INSPECTED_RUNS / 2 && taken > 0, `${refused} refused, ${taken} taken: both must occur`);
});

test("however an archive is changed, extracting writes only below the target", async (t) => {
  const folder = await newFolder(t);
  const file = join(folder, "mutant.zip");
  const law = fc.asyncProperty(mutant, async ({ original, changes }) => {
    await writeFile(file, mutate(originals[original] ?? Buffer.alloc(0), changes));
    const target = await mkdtemp(join(folder, "target-"));
    const extracted = await extractArchive(file, target);
    const entries = await readdir(target, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    assert.equal(files.length, "files" in extracted ? extracted.files.length : 0);
    if ("refusal" in extracted) assert.equal(entries.length, 0);
    await rm(target, { recursive: true });
    assert.deepEqual(await readdir(folder), ["mutant.zip"]);
  });
  await fc.assert(law, { numRuns: EXTRACTED_RUNS });
});
