import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_PATH, type Paste } from "@backplane/contract/viewer";
import sharp from "sharp";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { codeOf, jsonOf, pngOf, startViewer, type ViewerUnderTest } from "./viewer-under-test.suite.ts";

const UNKNOWN = "20200101-000000-000-abc123";

async function pasted(viewer: ViewerUnderTest, background?: string): Promise<Paste> {
  const answer = await viewer.upload(await pngOf(40, 30, background));
  assert.equal(answer.status, 201);
  return jsonOf(answer);
}

test("GET / redirects to the page; the page is new each time, is never cached, and has a token that works", async (t) => {
  const viewer = await startViewer(t);
  const root = await viewer.ask("/");
  assert.deepEqual([root.status, root.headers.location], [302, PAGE_PATH]);
  const pages = [await viewer.ask(`${PAGE_PATH}?title=Board`), await viewer.ask(PAGE_PATH)];
  for (const page of pages) {
    assert.deepEqual([page.status, page.headers["cache-control"]], [200, "no-store"]);
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
  }
  const token = /v1\.[0-9a-f]{16}\.\d+\.[\w-]{43}/.exec(pages[0]?.body.toString() ?? "")?.[0] ?? "";
  assert.equal(viewer.tokens.check(token), "ok");
  assert.equal((await viewer.ask(`${PAGE_PATH}/list`, { headers: { "x-viewer-token": token } })).status, 200);
  assert.doesNotMatch(viewer.lines.join(""), new RegExp(token));
});

test("HEAD of the page returns its headers: only the workspace may frame it, under either local name", async (t) => {
  const viewer = await startViewer(t);
  const head = await viewer.ask(PAGE_PATH, { method: "HEAD" });
  assert.deepEqual([head.status, head.body.length, head.headers["x-frame-options"]], [200, 0, undefined]);
  const policy = head.headers["content-security-policy"];
  assert.match(
    String(policy),
    /frame-ancestors 'self' http:\/\/localhost:8790 http:\/\/127\.0\.0\.1:8790(;|$)/,
    String(policy),
  );
  assert.match(String(policy), new RegExp(`connect-src [^;]*http://localhost:${viewer.port}`));
});

test("a title in the address that is too long is refused, and the error names it", async (t) => {
  const viewer = await startViewer(t);
  const answer = await viewer.ask(`${PAGE_PATH}?title=${"x".repeat(201)}`);
  assert.deepEqual([...codeOf(answer), jsonOf(answer).errors[0].pointer], [400, "invalid-parameter", "/title"]);
});

test("a screenshot is read with its text, renamed, removed and restored", async (t) => {
  const viewer = await startViewer(t);
  const { id } = await pasted(viewer);
  const headers = viewer.page();
  const address = `${PAGE_PATH}/${id}`;
  await viewer.name(id, "login-dialog");
  const read = jsonOf(await viewer.ask(address, { headers }));
  assert.deepEqual([read.name, read.status, read.text], ["login-dialog", "named", "the text of login-dialog"]);

  const json = { ...headers, "content-type": "application/json" };
  const renamed = await viewer.ask(address, { method: "PATCH", headers: json, body: '{"name":"Settings page"}' });
  assert.deepEqual([renamed.status, jsonOf(renamed).name, jsonOf(renamed).namedBy], [200, "settings-page", "you"]);
  assert.deepEqual((await viewer.files()).sort(), ["settings-page-40x30-original.png", "settings-page-40x30.png"]);
  for (const body of ['{"name":""}', '{"name":"../x"}', '{"name":5}', "{}", '{"name":"con"}']) {
    const refused = await viewer.ask(address, { method: "PATCH", headers: json, body });
    assert.equal(refused.status, 422, body);
    assert.equal(jsonOf(refused).errors[0].pointer, "/name");
  }
  const unknown = await viewer.ask(address, { method: "PATCH", headers: json, body: '{"name":"dark","colour":1}' });
  assert.deepEqual([unknown.status, jsonOf(unknown).name, "colour" in jsonOf(unknown)], [200, "dark", false]);
  assert.equal((await viewer.ask(address, { method: "PATCH", headers: json, body: '{"colour":1}' })).status, 422);
  assert.equal((await viewer.ask(address, { method: "PATCH", headers: json, body: "{" })).status, 400);

  const removed = await viewer.ask(address, { method: "DELETE", headers });
  assert.deepEqual([removed.status, removed.body.length], [204, 0]);
  assert.deepEqual([await viewer.files(), codeOf(await viewer.ask(address, { headers }))[1]], [[], "paste-unknown"]);
  const back = await viewer.ask(`${address}/restore`, { method: "POST", headers });
  assert.deepEqual([back.status, jsonOf(back).name], [200, "dark"]);
  assert.equal((await viewer.files()).length, 2);
});

test("the files have their current name, and are not cached", async (t) => {
  const viewer = await startViewer(t);
  const { id } = await pasted(viewer);
  const headers = viewer.page();
  await viewer.name(id, "login-dialog");
  for (const [file, name] of [
    ["optimized", "login-dialog-40x30.png"],
    ["original", "login-dialog-40x30-original.png"],
  ]) {
    const read = () => readFile(join(viewer.project, "screenshots", "sp", name ?? ""));
    const before = await read();
    const answer = await viewer.ask(`${PAGE_PATH}/${id}/${file}.png`, { headers });
    assert.equal(answer.status, 200);
    // A smaller file may have replaced it meanwhile.
    assertSameBytes(answer.body, answer.body.equals(before) ? before : await read());
    assert.deepEqual(
      ["content-type", "cache-control", "x-content-type-options", "content-disposition", "content-length"].map(
        (header) => answer.headers[header],
      ),
      ["image/png", "no-store", "nosniff", `inline; filename="${name}"`, String(answer.body.length)],
    );
  }
  const thumbnail = await viewer.ask(`${PAGE_PATH}/${id}/thumbnail.webp`, { headers });
  assert.equal(thumbnail.headers["content-type"], "image/webp");
  assert.equal((await sharp(thumbnail.body).metadata()).format, "webp");

  // Not the optimized file, which squeezing may just be replacing.
  await rm(join(viewer.project, "screenshots", "sp", "login-dialog-40x30-original.png"));
  const gone = await viewer.ask(`${PAGE_PATH}/${id}/original.png`, { headers });
  assert.deepEqual(codeOf(gone), [410, "paste-gone"]);
});

test("an unknown screenshot is 404 paste-unknown, whatever its address looks like", async (t) => {
  const viewer = await startViewer(t);
  const headers = viewer.page();
  for (const id of [UNKNOWN, "x", "..%2f..%2fetc%2fpasswd", "%2e%2e", ".pastes", "a%00b", "key"]) {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
      ["GET", "/optimized.png"],
      ["GET", "/original.png"],
      ["GET", "/thumbnail.webp"],
    ] as const) {
      const answer = await viewer.ask(`${PAGE_PATH}/${id}${path}`, { method, headers });
      assert.deepEqual(codeOf(answer), [404, "paste-unknown"], `${method} ${id}${path}`);
    }
  }
  assert.equal((await viewer.ask(`${PAGE_PATH}/${UNKNOWN}/other.png`, { headers })).status, 404);
  assert.equal((await viewer.ask(`${PAGE_PATH}/${"x".repeat(600)}`, { headers })).status, 414);
  const put = await viewer.ask(PAGE_PATH, { method: "PUT" });
  assert.deepEqual(codeOf(put), [405, "method-not-allowed"]);
});

test("the list is newest first, in pages; errors name the parameter", async (t) => {
  const viewer = await startViewer(t);
  const ids = [];
  for (const colour of ["#111", "#222", "#333"]) ids.unshift((await pasted(viewer, colour)).id);
  const headers = viewer.page();
  const list = async (query: string) => jsonOf(await viewer.ask(`${PAGE_PATH}/list${query}`, { headers }));
  const idsOf = ({ pastes }: { pastes: Paste[] }) => pastes.map(({ id }) => id);
  assert.deepEqual(idsOf(await list("")), ids);
  const first = await list("?limit=2");
  assert.deepEqual([idsOf(first), first.more], [ids.slice(0, 2), true]);
  const rest = await list(`?limit=2&before=${ids[1]}`);
  assert.deepEqual([idsOf(rest), rest.more], [ids.slice(2), false]);
  for (const [query, pointer] of [
    ["?limit=0", "/limit"],
    ["?limit=201", "/limit"],
    ["?limit=x", "/limit"],
    ["?before=x", "/before"],
  ]) {
    assert.equal((await list(query ?? "")).errors[0].pointer, pointer, query);
  }
});

test("search finds by name and text; errors name the parameter", async (t) => {
  const viewer = await startViewer(t);
  const { id } = await pasted(viewer);
  await viewer.name(id, "oven-controller");
  const headers = viewer.page();
  const search = async (query: string) => jsonOf(await viewer.ask(`${PAGE_PATH}/search${query}`, { headers }));
  const { hits } = await search("?q=oven");
  assert.deepEqual([hits.length, hits[0].paste.id], [1, id]);
  assert.deepEqual(await search("?q=nothing-of-the-kind"), { hits: [] });
  for (const [query, pointer] of [
    ["", "/q"],
    ["?q=", "/q"],
    [`?q=${"x".repeat(201)}`, "/q"],
    ["?q=a&limit=-1", "/limit"],
  ]) {
    assert.equal((await search(query ?? "")).errors[0].pointer, pointer, query);
  }
});

test("the widget is opened with its title, which has a limit", async (t) => {
  const viewer = await startViewer(t);
  const headers = { ...viewer.program, "content-type": "application/json" };
  const open = (body: string) => viewer.ask(`${PAGE_PATH}/widget`, { method: "POST", headers, body });
  const opened = jsonOf(await open('{"title":"Board","other":1}'));
  assert.deepEqual([opened.status, opened.title, opened.maxDimension], ["not_opened", "Board", 1568]);
  for (const [body, pointer] of [
    [JSON.stringify({ title: "x".repeat(201) }), "/title"],
    ['{"title":5}', "/title"],
    ["[]", ""],
  ]) {
    const refused = await open(body ?? "");
    assert.deepEqual([refused.status, jsonOf(refused).errors[0].pointer], [422, pointer], body);
  }
});
