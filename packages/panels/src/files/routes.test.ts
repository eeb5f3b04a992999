import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { untilAsserted } from "../../../../scripts/testing/until.ts";
import { openFilesUnderTest } from "./files-under-test.suite.ts";

const tagOf = (text: string | Uint8Array): string => `"${createHash("sha256").update(text).digest("hex")}"`;
const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code;

test("a file is created, read, changed and deleted, each time by its ETag", async (t) => {
  const { ask, create, notes, folder } = await openFilesUnderTest(t);
  const made = await ask("/src/yaw-pid.ts", { ...create, body: "one" });
  assert.deepEqual([made.status, made.headers.get("etag")], [201, tagOf("one")]);
  assert.equal(((await made.json()) as { path: string }).path, "src/yaw-pid.ts");

  const read = await ask("/src/yaw-pid.ts");
  assert.equal(await read.text(), "one");
  assert.equal(read.headers.get("etag"), tagOf("one"));
  assert.equal(read.headers.get("content-type"), "text/plain; charset=utf-8");
  const again = await ask("/src/yaw-pid.ts", { headers: { "if-none-match": tagOf("one") } });
  assert.equal(again.status, 304);

  const saved = await ask("/src/yaw-pid.ts", { method: "PUT", headers: { "if-match": tagOf("one") }, body: "two" });
  assert.deepEqual([saved.status, saved.headers.get("etag")], [200, tagOf("two")]);
  const gone = await ask("/src/yaw-pid.ts", { method: "DELETE", headers: { "if-match": tagOf("two") } });
  assert.equal(gone.status, 204);
  assert.equal((await ask("/src/yaw-pid.ts")).status, 404);
  assert.deepEqual(readdirSync(join(folder, "src")), []);
  assert.deepEqual(notes, [
    "src/yaw-pid.ts created by ann, 3 bytes",
    "src/yaw-pid.ts saved by ann, 3 bytes",
    "src/yaw-pid.ts deleted by ann",
  ]);
});

test("412 file-changed with the current ETag when somebody else has saved meanwhile, and nothing is changed", async (t) => {
  const { ask, folder, notes } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "a.txt"), "theirs");
  for (const [method, body] of [
    ["PUT", "mine"],
    ["DELETE", undefined],
  ] as const) {
    const answer = await ask("/a.txt", {
      method,
      headers: { "if-match": tagOf("before") },
      ...(body === undefined ? {} : { body }),
    });
    assert.deepEqual(
      [answer.status, answer.headers.get("etag"), await codeOf(answer)],
      [412, tagOf("theirs"), "file-changed"],
    );
  }
  assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "theirs");
  assert.deepEqual(notes, []);
});

test("412 file-exists with its ETag when the new file already exists; file-changed when the known one is gone", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "a.txt"), "here");
  const taken = await ask("/a.txt", { ...create, body: "x" });
  assert.deepEqual([taken.status, taken.headers.get("etag"), await codeOf(taken)], [412, tagOf("here"), "file-exists"]);
  const missing = await ask("/b.txt", { method: "PUT", headers: { "if-match": tagOf("x") }, body: "x" });
  assert.deepEqual([missing.status, missing.headers.get("etag"), await codeOf(missing)], [412, null, "file-changed"]);
  assert.equal((await ask("/b.txt", { method: "DELETE", headers: { "if-match": "*" } })).status, 404);
});

test("a change without a condition is refused with 428 that names the header; an unreadable one with 400", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "a.txt"), "here");
  for (const method of ["PUT", "DELETE"]) {
    const answer = await ask("/a.txt", { method, ...(method === "PUT" ? { body: "x" } : {}) });
    const body = (await answer.json()) as { code: string; detail: string; errors: { pointer: string }[] };
    assert.deepEqual(
      [answer.status, body.code, body.errors[0]?.pointer],
      [428, "precondition-needed", "/headers/if-match"],
    );
    assert.match(body.detail, /If-Match/);
  }
  const faults: Record<string, string>[] = [
    { "if-match": "no-quotes" },
    { "if-match": '"a", b' },
    { "if-none-match": '"a"' },
    { "if-match": '"a"', "if-none-match": "*" },
  ];
  for (const headers of faults) assert.equal((await ask("/a.txt", { method: "PUT", headers, body: "x" })).status, 400);
  const weak = await ask("/a.txt", { method: "PUT", headers: { "if-match": `W/${tagOf("here")}` }, body: "x" });
  assert.equal(weak.status, 412);
  assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "here");
});

test("bodies of any type are stored unchanged, empty ones too, up to their limit", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  const types = [
    "application/json",
    "application/octet-stream",
    "text/html",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
  ];
  for (const [index, type] of types.entries()) {
    const answer = await ask(`/f${index}`, {
      method: "PUT",
      headers: { "if-none-match": "*", "content-type": type },
      body: "{not json",
    });
    assert.equal(answer.status, 201, type);
    assert.equal(readFileSync(join(folder, `f${index}`), "utf8"), "{not json");
  }
  assert.equal((await ask("/empty", create)).status, 201);
  assert.equal(statSync(join(folder, "empty")).size, 0);
  const large = await ask("/large", { ...create, body: new Uint8Array(PANELS_LIMITS.maxFileBytes + 1) });
  assert.deepEqual([large.status, await codeOf(large)], [413, "payload-too-large"]);
  const whole = await ask("/whole", { ...create, body: new Uint8Array(PANELS_LIMITS.maxFileBytes) });
  assert.equal(whole.status, 201);
  assert.equal(readdirSync(folder).includes("large"), false);
});

test("bodies on their way are limited per person: the next one is 429, until one has ended", async (t) => {
  const { ask, create, addresses } = await openFilesUnderTest(t);
  const { maxFileBytes, maxArrivingFileBytesPerPerson } = PANELS_LIMITS;
  const sending = Array.from({ length: maxArrivingFileBytesPerPerson / maxFileBytes }, (_, n) => {
    const path = `/api/workspaces/editor/ann/rover/current/files/slow${n}`;
    const headers = { authorization: "ann", "if-none-match": "*", "content-length": maxFileBytes };
    const sent = request(`${addresses[0]}${path}`, { method: "PUT", headers });
    sent.on("error", () => {});
    sent.write("x");
    return sent;
  });
  let tries = 0;
  const nextIs = async (status: number) => {
    for (;;) {
      tries += 1;
      const answer = await ask(`/more${tries}`, { ...create, body: "x" });
      if (answer.status === status) return answer;
      assert.ok([201, 429].includes(answer.status));
    }
  };
  assert.equal((await nextIs(429)).headers.get("retry-after"), "1");
  sending[0]?.destroy();
  await nextIs(201);
  for (const sent of sending) sent.destroy();
});

test("no file of a project can run on our origin", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t);
  const files: Record<string, [type: string, isDownload: boolean]> = {
    "page.html": ["text/plain; charset=utf-8", true],
    "drawing.svg": ["text/plain; charset=utf-8", true],
    "code.js": ["text/plain; charset=utf-8", true],
    "note.md": ["text/plain; charset=utf-8", false],
    "shot.png": ["image/png", false],
    "data.bin": ["application/octet-stream", true],
  };
  for (const [name, [type, isDownload]] of Object.entries(files)) {
    writeFileSync(join(folder, name), name === "data.bin" ? "\0\xff" : "<script>alert(1)</script>");
    const { headers } = await ask(`/${name}`);
    assert.equal(headers.get("content-type"), type, name);
    assert.equal(headers.get("content-disposition")?.startsWith("attachment") ?? false, isDownload, name);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'; sandbox/);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  }
});

test("401 without a caller, 403 without the scope or in somebody else's workspace, before anything is read", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "a.txt"), "here");
  const expected: [string | null, number][] = [
    [null, 401],
    ["publisher", 403],
    ["bob", 403],
  ];
  for (const [as, status] of expected) {
    assert.equal((await ask("", { as })).status, status);
    assert.equal((await ask("/a.txt", { as })).status, status);
    assert.equal((await ask("/nothing", { as })).status, status);
    assert.equal((await ask("/b.txt", { ...create, as, body: "x" })).status, status);
    assert.equal((await ask("/a.txt", { method: "DELETE", headers: { "if-match": "*" }, as })).status, status);
  }
  assert.deepEqual(readdirSync(folder), ["a.txt"]);
});

test("a key with the scope read gets files and their list, and changes none", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "a.txt"), "here");
  const as = "ann/reader";
  assert.equal((await ask("", { as })).status, 200);
  assert.equal(await (await ask("/a.txt", { as })).text(), "here");
  assert.equal((await ask("/b.txt", { ...create, as, body: "x" })).status, 403);
  assert.equal((await ask("/a.txt", { method: "DELETE", headers: { "if-match": "*" }, as })).status, 403);
  assert.deepEqual(readdirSync(folder), ["a.txt"]);
});

test("a file is not saved if its sender's access ends before the last byte", async (t) => {
  const { ask, access, create, folder } = await openFilesUnderTest(t);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const body = writable.getWriter();
  const answer = ask("/a.txt", { ...create, body: readable, duplex: "half" });
  await body.write(Buffer.from("begun in time"));
  await untilAsserted(() => assert.equal(access.checked, 1));
  access.hasEnded = true;
  await body.close();
  assert.equal((await answer).status, 401);
  assert.deepEqual(readdirSync(folder), []);
});

test("a file is not saved if its workspace is removed before the last byte, also when there is a new one of its name", async (t) => {
  const { ask, access, create, folder } = await openFilesUnderTest(t);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const body = writable.getWriter();
  const answer = ask("/a.txt", { ...create, body: readable, duplex: "half" });
  await body.write(Buffer.from("begun in time"));
  await untilAsserted(() => assert.equal(access.checked, 1));
  access.workspaceId = "the next one";
  await body.close();
  assert.equal((await answer).status, 404);
  assert.deepEqual(readdirSync(folder), []);
});

test("a changed file keeps its permissions, and is replaced as a whole", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t);
  writeFileSync(join(folder, "run.sh"), "one");
  chmodSync(join(folder, "run.sh"), 0o755);
  const before = statSync(join(folder, "run.sh")).ino;
  await ask("/run.sh", { method: "PUT", headers: { "if-match": "*" }, body: "two" });
  const after = statSync(join(folder, "run.sh"));
  assert.equal(after.mode & 0o777, 0o755);
  assert.notEqual(after.ino, before);
});

test("a list is sorted, leaves out what is hidden, and says when there is more", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t);
  for (const at of ["src/deep", ".git", "node_modules/x", "screenshots"])
    mkdirSync(join(folder, at), { recursive: true });
  for (const path of [
    "z.txt",
    "src/b.ts",
    "src/deep/a.ts",
    "src.ts",
    ".env",
    ".git/config",
    "node_modules/x/i.js",
    "screenshots/1.png",
  ]) {
    writeFileSync(join(folder, path), path);
  }
  const list = (await (await ask("")).json()) as { files: { path: string; size: number }[]; truncated: boolean };
  assert.deepEqual(
    list.files.map(({ path }) => path),
    ["screenshots/1.png", "src.ts", "src/b.ts", "src/deep/a.ts", "z.txt"],
  );
  assert.equal(list.files[1]?.size, 6);
  assert.equal(list.truncated, false);
  assert.equal((await ask("/.git/config")).status, 422);
});

test("the files of a project have a limit together: a change that exceeds it is 409, one that shrinks it is accepted", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  assert.equal((await ask("/small.txt", { ...create, body: "1234" })).status, 201);
  writeFileSync(join(folder, "huge.bin"), "");
  truncateSync(join(folder, "huge.bin"), PANELS_LIMITS.maxProjectBytes - 4);
  for (const sent of [create, { method: "PUT", headers: { "if-match": tagOf("1234") } }]) {
    const refused = await ask(sent === create ? "/new.txt" : "/small.txt", { ...sent, body: "12345" });
    assert.deepEqual([refused.status, await codeOf(refused)], [409, "too-many-of-these"]);
  }
  assert.equal(readFileSync(join(folder, "small.txt"), "utf8"), "1234");
  const smaller = await ask("/small.txt", { method: "PUT", headers: { "if-match": tagOf("1234") }, body: "1" });
  assert.equal(smaller.status, 200);
  assert.equal((await ask("/new.txt", { ...create, body: "123" })).status, 201);
});
