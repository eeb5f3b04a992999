import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckNote } from "@backplane/contract/registry";
import type { Fault } from "../../calls/call.ts";
import { checkFault, conflictOf, fileFault, placeOf, progressWords, publishFault, verdict } from "./publish-words.ts";

const note = (part: Partial<CheckNote>): CheckNote => ({
  level: "error",
  rule: "schema",
  message: "is wrong",
  ...part,
});

const fault = (part: Partial<Fault>): Fault => ({
  status: 422,
  code: "metadata-refused",
  title: "The package's metadata has errors",
  detail: undefined,
  errors: [],
  retryAfterS: undefined,
  ...part,
});

test("a note says where", () => {
  assert.equal(
    placeOf(note({ line: 12, column: 5, pointer: "/versions/0/version" })),
    "metadata.json, line 12, column 5, /versions/0/version",
  );
  assert.equal(placeOf(note({ pointer: "/name" })), "metadata.json, /name");
  assert.equal(placeOf(note({ path: "plugins/../x" })), "plugins/../x");
  assert.equal(placeOf(note({ pointer: "" })), "");
});

test("a check has a one-line result", () => {
  const warning = note({ level: "warning" });
  assert.equal(verdict({ publishable: true, notes: [] }), "Ready to publish");
  assert.equal(verdict({ publishable: true, notes: [warning] }), "Ready to publish, with 1 warning");
  assert.equal(
    verdict({ publishable: false, notes: [note({}), note({}), warning] }),
    "Cannot be published: 2 errors, 1 warning",
  );
  assert.equal(verdict({ publishable: false, notes: [] }), "Cannot be published");
});

test("an upload shows what is sent, then what the server does", () => {
  const mega = 1024 * 1024;
  assert.equal(progressWords(18 * mega, 41 * mega, "Checking"), "Sending 41 MB, 18 MB sent");
  assert.equal(progressWords(41 * mega, 41 * mega, "Checking"), "Checking 41 MB");
});

test("publishing a version that exists says that it never changes", () => {
  const { head, rest, final } = publishFault(fault({ status: 409, code: "version-exists" }), "2.3.0");
  assert.equal(final, true, "sending it again would be refused again");
  assert.equal(`${head} ${rest}`, "Not published: 2.3.0 exists. Published versions never change. Raise the version.");
});

test("a check that finds the version says the same", () => {
  const told = conflictOf({ version: "2.3.0", notes: [note({ rule: "version-exists" })] });
  assert.deepEqual(told, publishFault(fault({ status: 409, code: "version-exists" }), "2.3.0"));
  assert.equal(conflictOf({ version: "2.3.0", notes: [note({})] }), undefined);
});

test("every other refusal says what happened and what to do", () => {
  assert.match(publishFault(fault({ status: 403, code: "package-not-yours" }), "1.0").rest, /another identifier/);
  assert.match(publishFault(fault({ status: 0, code: "silent" }), "1.0").rest, /Choose the file again/);
  assert.deepEqual(publishFault(fault({ detail: "Line 3 has no name." }), "1.0"), {
    head: "Not published.",
    rest: "Line 3 has no name.",
  });
  assert.match(checkFault(fault({ status: 0, code: "silent" })).head, /^Not checked/);
  assert.match(checkFault(fault({ status: 429, code: "too-many-requests", retryAfterS: 60 })).rest, /Wait/);
});

const zip = Uint8Array.of(0x50, 0x4b, 3, 4);
const MAX = 256 * 1024 * 1024;

test("an archive that can be published is sent", () => {
  assert.equal(fileFault({ name: "a.zip", size: MAX, firstBytes: zip }, MAX), undefined);
  assert.equal(fileFault({ name: "a", size: 22, firstBytes: Uint8Array.of(0x50, 0x4b, 5, 6) }, undefined), undefined);
});

test("what the server would refuse is not sent, with the limit and the next step", () => {
  assert.equal(
    fileFault({ name: "big.zip", size: MAX + 60 * 1024 * 1024, firstBytes: zip }, MAX),
    "Not sent: big.zip is 316 MB; the limit is 256 MB. Leave out files that are not installed.",
  );
  assert.match(fileFault({ name: "a.zip", size: 0, firstBytes: new Uint8Array() }, MAX) ?? "", /is empty/);
  for (const firstBytes of [Uint8Array.of(0x1f, 0x8b, 8, 0), Uint8Array.of(0x50, 0x4b), new Uint8Array()]) {
    assert.match(fileFault({ name: "a.tar.gz", size: 9, firstBytes }, MAX) ?? "", /is not a zip archive/);
  }
});
