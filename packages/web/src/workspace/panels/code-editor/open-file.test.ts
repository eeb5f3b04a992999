import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { ReadFile } from "../project-files/file-calls.ts";
import { OpenFile } from "./open-file.ts";

const { maxTextFileBytes } = PANELS_LIMITS;
const AT = new Date(2026, 6, 28, 14, 30, 41);

/** A file on a server: each version has an ETag, and a write that expects another one is refused. */
function server(first: string | undefined) {
  let version = 1;
  let text = first;
  let isSilent = false;
  const fault = { status: 0, code: "silent", title: "", detail: undefined, errors: [], retryAfterS: undefined };
  const tag = () => `"${version}"`;
  return {
    text: () => text,
    theySave(next: string | undefined) {
      text = next;
      version += 1;
    },
    goSilent() {
      isSilent = true;
    },
    access: {
      async read(known: string | undefined): Promise<ReadFile> {
        if (isSilent) return { kind: "fault", fault };
        if (text === undefined) return { kind: "missing" };
        if (known === tag()) return { kind: "unchanged" };
        return { kind: "read", bytes: new TextEncoder().encode(text), etag: tag() };
      },
      async write(bytes: Uint8Array, expected: { etag: string } | "absent") {
        if (isSilent) return { kind: "fault", fault } as const;
        const holds = expected === "absent" ? text === undefined : text !== undefined && expected.etag === tag();
        if (!holds) return { kind: "changed", etag: text === undefined ? undefined : tag() } as const;
        text = new TextDecoder().decode(bytes);
        version += 1;
        return { kind: "written", etag: tag() } as const;
      },
    },
  };
}

async function opened(first: string | undefined) {
  const there = server(first);
  const file = new OpenFile(there.access, () => AT);
  await file.load();
  return { there, file };
}

test("a file is read, changed and saved, with the time", async () => {
  const { there, file } = await opened("one\r\ntwo");
  assert.deepEqual([file.state().phase, file.state().shown.text], ["open", "one\ntwo"]);
  file.setDirty(true);
  assert.equal(await file.save("one\n2"), true);
  assert.equal(there.text(), "one\r\n2");
  assert.equal(file.state().savedAt, AT);
});

test("what another browser saves is shown at once when there are no unsaved changes", async () => {
  const { there, file } = await opened("one");
  const { version } = file.state().shown;
  there.theySave("theirs");
  await file.check();
  assert.deepEqual(file.state().shown, { text: "theirs", version: version + 1 });
  await file.check();
  assert.equal(file.state().shown.version, version + 1);
});

test("with unsaved changes it is a conflict, and nothing is saved until somebody decides", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.theySave("theirs");
  await file.check();
  assert.equal(file.state().conflict?.text, "theirs");
  assert.equal(await file.save("mine"), false);
  assert.equal(there.text(), "theirs");
});

test("a save that comes too late finds the conflict; 'keep mine' overwrites theirs", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.theySave("theirs");
  assert.equal(await file.save("mine"), false);
  assert.equal(file.state().conflict?.text, "theirs");
  assert.equal(await file.keepMine("mine"), true);
  assert.deepEqual([there.text(), file.state().conflict], ["mine", undefined]);
});

test("'keep mine' does not overwrite what was saved even later", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.theySave("theirs");
  await file.check();
  there.theySave("later");
  assert.equal(await file.keepMine("mine"), false);
  assert.deepEqual([there.text(), file.state().conflict?.text], ["later", "later"]);
});

test("'load theirs' shows it, and the next save is based on it", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.theySave("theirs");
  await file.check();
  file.takeTheirs();
  assert.deepEqual([file.state().shown.text, file.state().isDirty], ["theirs", false]);
  assert.equal(await file.save("theirs and mine"), true);
});

test("the same text saved by both is not a conflict", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.theySave("two");
  assert.equal(await file.save("two"), true);
  assert.equal(file.state().conflict, undefined);
  assert.equal(await file.save("three"), true);
});

test("saving a file that was deleted meanwhile creates it again", async () => {
  const { there, file } = await opened("one");
  there.theySave(undefined);
  await file.check();
  assert.equal(file.state().isGone, true);
  assert.equal(await file.save("one"), true);
  assert.deepEqual([there.text(), file.state().isGone], ["one", false]);

  there.theySave(undefined);
  file.setDirty(true);
  await file.check();
  assert.deepEqual(file.state().conflict, { text: undefined, etag: undefined });
  assert.equal(await file.keepMine("mine"), true);
  assert.equal(there.text(), "mine");
});

test("without an answer the text is kept, and the fault is shown", async () => {
  const { there, file } = await opened("one");
  file.setDirty(true);
  there.goSilent();
  assert.equal(await file.save("mine"), false);
  assert.match(file.state().fault ?? "", /^Not saved\. Backplane does not answer/);
  assert.equal(file.state().isDirty, true);
});

test("large and binary files are refused with a reason", async () => {
  const { file } = await opened("a\0b");
  assert.deepEqual(
    [file.state().phase, file.state().fault],
    ["refused", "This file is not UTF-8 text, so it cannot be edited here."],
  );
  const large = new OpenFile(
    { ...server("").access, read: async () => ({ kind: "too-large", size: 3_355_443 }) },
    () => AT,
  );
  await large.load();
  assert.equal(large.state().fault, "This file is 3.2 MB. The editor opens files of up to 2.0 MB.");
  const small = await opened("a");
  assert.equal(await small.file.save("x".repeat(maxTextFileBytes + 1)), false);
  assert.match(small.file.state().fault ?? "", /^Not saved: the text is 2\.0 MB/);
});

test("a check that is answered after a save changes nothing", async () => {
  const { there, file } = await opened("one");
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = new OpenFile(
    {
      ...there.access,
      read: async (known) => {
        const answer = await there.access.read(known);
        if (known !== undefined) await promise;
        return answer;
      },
    },
    () => AT,
  );
  await slow.load();
  there.theySave("theirs");
  const checking = slow.check();
  slow.setDirty(true);
  await slow.save("mine");
  slow.takeTheirs();
  const { version } = slow.state().shown;
  resolve();
  await checking;
  assert.equal(slow.state().shown.version, version);
  assert.equal(file.state().shown.text, "one");
});

test("a restored draft is a conflict when the file was saved since", async () => {
  const { file } = await opened("one");
  file.restored(file.etag());
  assert.deepEqual([file.state().isDirty, file.state().conflict], [true, undefined]);
  const later = await opened("theirs");
  later.file.restored('"0"');
  assert.equal(later.file.state().conflict?.text, "theirs");
  assert.equal(await later.file.keepMine("mine"), true);
});
