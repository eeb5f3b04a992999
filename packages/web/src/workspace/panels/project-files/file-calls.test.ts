import assert from "node:assert/strict";
import { test } from "node:test";
import { fileAddress, readFile, writeFile } from "./file-calls.ts";

const project = { owner: "ann", repo: "rover" };
type Asked = { url: string; headers: Headers; method: string };

function server(answer: () => Response) {
  const asked: Asked[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    asked.push({ url, headers: new Headers(init.headers), method: init.method ?? "GET" });
    return answer();
  }) as typeof globalThis.fetch;
  return { asked, fetch };
}
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ code, title: code }), { status, headers });

test("each part of a path is encoded as one part of the address", () => {
  assert.equal(
    fileAddress(project, "a b/ü#1?.ts"),
    "/api/workspaces/editor/ann/rover/current/files/a%20b/%C3%BC%231%3F.ts",
  );
});

test("a file is read with its ETag; unchanged, missing and too large files are told apart", async () => {
  const found = server(() => new Response("text", { headers: { etag: '"1"' } }));
  const read = await readFile(project, "a", { maxBytes: 10, knownEtag: '"0"' }, found.fetch);
  assert.equal(read.kind === "read" && `${new TextDecoder().decode(read.bytes)} ${read.etag}`, 'text "1"');
  assert.equal(found.asked[0]?.headers.get("if-none-match"), '"0"');

  const known = server(() => new Response(null, { status: 304 }));
  assert.deepEqual(await readFile(project, "a", { maxBytes: 10 }, known.fetch), { kind: "unchanged" });
  const none = server(problem(404, "file-unknown"));
  assert.deepEqual(await readFile(project, "a", { maxBytes: 10 }, none.fetch), { kind: "missing" });
  const large = server(() => new Response("x", { headers: { "content-length": "11" } }));
  assert.deepEqual(await readFile(project, "a", { maxBytes: 10 }, large.fetch), { kind: "too-large", size: 11 });
  const silent = server(() => {
    throw new TypeError("no answer");
  });
  const fault = await readFile(project, "a", { maxBytes: 10 }, silent.fetch);
  assert.equal(fault.kind === "fault" && fault.fault.status, 0);
});

test("a write sends its condition, and a 412 carries the current ETag", async () => {
  const bytes = new Uint8Array([1]);
  const made = server(() => new Response("{}", { status: 201, headers: { etag: '"1"' } }));
  assert.deepEqual(await writeFile(project, "a", bytes, "absent", made.fetch), { kind: "written", etag: '"1"' });
  assert.equal(made.asked[0]?.headers.get("if-none-match"), "*");
  const changed = server(problem(412, "file-changed", { etag: '"2"' }));
  assert.deepEqual(await writeFile(project, "a", bytes, { etag: '"1"' }, changed.fetch), {
    kind: "changed",
    etag: '"2"',
  });
  assert.equal(changed.asked[0]?.headers.get("if-match"), '"1"');
  const refused = await writeFile(project, "a", bytes, "absent", server(problem(422, "file-name-refused")).fetch);
  assert.equal(refused.kind === "fault" && refused.fault.code, "file-name-refused");
});

test("a path that would escape the files is refused without a request", async () => {
  const never = server(() => new Response("x"));
  for (const path of ["../tabs", "a/../../tabs", "a//b", "./a", "/a", "a/"]) {
    const read = await readFile(project, path, { maxBytes: 10 }, never.fetch);
    assert.equal(read.kind === "fault" && read.fault.code, "file-name-refused", path);
    const written = await writeFile(project, path, new Uint8Array(), "absent", never.fetch);
    assert.equal(written.kind === "fault" && written.fault.code, "file-name-refused", path);
  }
  assert.deepEqual(never.asked, []);
});
