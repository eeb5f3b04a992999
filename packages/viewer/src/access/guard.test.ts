import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_PATH, VIEWER_LIMITS } from "@backplane/contract/viewer";
import {
  codeOf,
  jsonOf,
  pngOf,
  SECRET,
  startViewer,
  temporaryFolder,
  VIEWER_TOKEN,
} from "../routes/viewer-under-test.suite.ts";
import { createPageTokens, openViewerToken } from "./index.ts";

const ID = "20200101-000000-000-abc123";
/** Every route but the page. */
const CALLS = [
  ["POST", PAGE_PATH],
  ["GET", `${PAGE_PATH}/list`],
  ["GET", `${PAGE_PATH}/search?q=a`],
  ["GET", `${PAGE_PATH}/events`],
  ["POST", `${PAGE_PATH}/widget`],
  ["GET", `${PAGE_PATH}/${ID}`],
  ["PATCH", `${PAGE_PATH}/${ID}`],
  ["DELETE", `${PAGE_PATH}/${ID}`],
  ["POST", `${PAGE_PATH}/${ID}/restore`],
  ["GET", `${PAGE_PATH}/${ID}/optimized.png`],
  ["GET", `${PAGE_PATH}/${ID}/original.png`],
  ["GET", `${PAGE_PATH}/${ID}/thumbnail.webp`],
] as const;

test("without the page's token nothing but the page answers: 401 page-token-needed, and nothing is kept", async (t) => {
  const viewer = await startViewer(t);
  const image = { headers: { "content-type": "image/png" }, body: await pngOf() };
  for (const [method, path] of CALLS) {
    const answer = await viewer.ask(path, method === "POST" ? { method, ...image } : { method });
    assert.deepEqual(codeOf(answer), [401, "page-token-needed"], `${method} ${path}`);
  }
  const encoded = await viewer.ask("/screenshot%2Dpaste/list");
  assert.deepEqual(codeOf(encoded), [401, "page-token-needed"], "another spelling of the same address");
  for (const path of ["/", PAGE_PATH]) assert.ok((await viewer.ask(path)).status < 400, path);
  assert.deepEqual([await viewer.incoming(), await viewer.files()], [[], []]);
});

test("a token that is expired, changed, sealed with another key or of another project is refused", async (t) => {
  const viewer = await startViewer(t);
  const token = viewer.tokens.make();
  const now = () => viewer.clock.nowMs;
  const foreign = createPageTokens({ project: await temporaryFolder(t), key: randomBytes(32), now }).make();
  const otherKey = createPageTokens({ project: viewer.project, key: randomBytes(32), now }).make();
  const send = async (sent: string) =>
    viewer.ask(PAGE_PATH, {
      method: "POST",
      headers: { "x-viewer-token": sent, "content-type": "image/png" },
      body: await pngOf(),
    });
  assert.deepEqual(codeOf(await send(foreign)), [403, "other-project"]);
  for (const wrong of [otherKey, `${token}x`, "", "x"]) {
    assert.deepEqual(codeOf(await send(wrong)), [401, "page-token-wrong"], wrong);
  }
  assert.deepEqual(await viewer.files(), []);
  assert.equal((await send(token)).status, 201);
  viewer.clock.nowMs += VIEWER_LIMITS.pageTokenLifeMs;
  const expired = await send(token);
  assert.deepEqual(codeOf(expired), [401, "page-token-wrong"]);
  assert.match(jsonOf(expired).detail, /open for too long\. Reload the page\./);
});

test("programs of this machine send the secret; it is never logged, nor is the page's token", async (t) => {
  const viewer = await startViewer(t);
  const list = (authorization: string) => viewer.ask(`${PAGE_PATH}/list`, { headers: { authorization } });
  assert.equal((await list(`Bearer ${SECRET}`)).status, 200);
  assert.equal((await list(`Bearer ${VIEWER_TOKEN}`)).status, 200);
  assert.deepEqual(codeOf(await list("Bearer nonsense")), [401, "page-token-wrong"]);
  assert.deepEqual(codeOf(await list(`Basic ${SECRET}`)), [401, "page-token-needed"]);
  const token = viewer.tokens.make();
  await viewer.ask(`${PAGE_PATH}/list`, { headers: { "x-viewer-token": token } });
  await viewer.ask(`${PAGE_PATH}/list`, { headers: { "x-viewer-token": `${token}x` } });
  const log = viewer.lines.join("");
  assert.ok(log.includes('"answered"'));
  for (const secret of [SECRET, VIEWER_TOKEN, token]) assert.ok(!log.includes(secret));
});

test("a name that somebody pointed here is not ours: 421 host-unknown, also for MCP, whatever token comes along", async (t) => {
  const viewer = await startViewer(t);
  const { port } = viewer;
  const ask = (host: string, path = PAGE_PATH, method = "GET") =>
    viewer.ask(path, { method, headers: { host, ...viewer.page(), authorization: `Bearer ${VIEWER_TOKEN}` } });
  for (const host of [
    ...[
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "127.0.0.1.nip.io",
      "127.0.0.2",
      "a.localhost",
    ],
    ...["0.0.0.0", "viewer.example.evil", "xviewer.example", "localhost@evil.example", "[::2]", "2130706433"],
  ]) {
    assert.deepEqual(codeOf(await ask(host)), [421, "host-unknown"], host);
    assert.deepEqual(codeOf(await ask(host, "/mcp", "POST")), [421, "host-unknown"], host);
  }
  for (const host of ["localhost", "LOCALHOST", `localhost:${port}`, "127.0.0.1:1", "[::1]:8770", "viewer.example"]) {
    assert.equal((await ask(host)).status, 200, host);
  }
  assert.equal((await ask("anything.example", "/health")).status, 200);
});

test("off this machine everything but health and readiness needs the token; a person gets a page that says how", async (t) => {
  const viewer = await startViewer(t, { trustProxy: ["127.0.0.1"] });
  const elsewhere = { "x-forwarded-for": "203.0.113.9" };
  for (const path of ["/", PAGE_PATH, "/metrics", "/no/such/page", `${PAGE_PATH}/list`]) {
    const refused = await viewer.ask(path, { headers: { ...elsewhere, ...viewer.page() } });
    assert.deepEqual(codeOf(refused), [401, "viewer-token-needed"], path);
    assert.equal(refused.headers["www-authenticate"], 'Bearer realm="viewer"');
    const wrong = await viewer.ask(path, { headers: { ...elsewhere, authorization: `Bearer ${SECRET}` } });
    assert.deepEqual(codeOf(wrong), [401, "viewer-token-wrong"], path);
    const allowed = await viewer.ask(path, { headers: { ...elsewhere, authorization: `Bearer ${VIEWER_TOKEN}` } });
    assert.ok(allowed.status < 400 || path.startsWith("/no"), path);
  }
  assert.deepEqual(codeOf(await viewer.ask("/mcp", { method: "POST", headers: elsewhere })), [
    401,
    "viewer-token-needed",
  ]);
  for (const path of ["/health", "/ready"]) assert.equal((await viewer.ask(path, { headers: elsewhere })).status, 200);
  const person = await viewer.ask(PAGE_PATH, { headers: { ...elsewhere, accept: "text/html,*/*;q=0.8" } });
  assert.equal(person.status, 401);
  assert.match(person.body.toString(), /ssh -L 8770:localhost:8770.*/);
  assert.match(person.body.toString(), /http:\/\/localhost:8770\/screenshot-paste/);
  assert.doesNotMatch(person.body.toString(), /tok_|v1\./);
});

test("a proxy that is not trusted may speak for anybody: it needs the token", async (t) => {
  const viewer = await startViewer(t);
  const answer = await viewer.ask(PAGE_PATH, { headers: { "x-forwarded-for": "127.0.0.1" } });
  assert.deepEqual(codeOf(answer), [401, "viewer-token-needed"]);
});

test("the token for elsewhere is made at the first start, for its owner only, and kept from then on", async (t) => {
  const home = join(await temporaryFolder(t), "home");
  const token = openViewerToken(home);
  assert.match(token, /^tok_viewer_[\w-]{43}$/);
  assert.equal(await readFile(join(home, "viewer-token"), "utf8"), `${token}\n`);
  assert.equal((await stat(join(home, "viewer-token"))).mode & 0o777, 0o600);
  assert.equal(openViewerToken(home), token);
});
