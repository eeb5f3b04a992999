import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_PATH, VIEWER_LIMITS } from "@backplane/contract/viewer";
import {
  type Answer,
  codeOf,
  jsonOf,
  pngOf,
  SECRET,
  startViewer,
  temporaryFolder,
  VIEWER_TOKEN,
} from "../routes/viewer-under-test.suite.ts";
import { openViewerToken } from "./guard.ts";
import { createPageTokens } from "./page-tokens.ts";

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

test("without a page token only the page answers, all else is 401 page-token-needed, and nothing is saved", async (t) => {
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

test("a token that is expired, changed, signed with another key or for another project is refused", async (t) => {
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

test("programs on this machine send the secret; neither it nor the page token is ever logged", async (t) => {
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

test("a foreign host name that points here is refused: 421 host-unknown, also for MCP, with any token", async (t) => {
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

test("from other machines everything but health and readiness needs the token; browsers get a page that says how", async (t) => {
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

test("an untrusted proxy may forward anybody's requests, so it needs the token", async (t) => {
  const viewer = await startViewer(t);
  const answer = await viewer.ask(PAGE_PATH, { headers: { "x-forwarded-for": "127.0.0.1" } });
  assert.deepEqual(codeOf(answer), [401, "viewer-token-needed"]);
});

test("the token for other machines is created at the first start, readable only by its owner, and kept", async (t) => {
  const home = join(await temporaryFolder(t), "home");
  const token = openViewerToken(home);
  assert.match(token, /^tok_viewer_[\w-]{43}$/);
  assert.equal(await readFile(join(home, "viewer-token"), "utf8"), `${token}\n`);
  assert.equal((await stat(join(home, "viewer-token"))).mode & 0o777, 0o600);
  assert.equal(openViewerToken(home), token);
});

const allowedOrigin = ({ headers }: Answer) => headers["access-control-allow-origin"];

test("a page from another origin is refused even with a valid token: 403 foreign-page, and it cannot read the answer", async (t) => {
  const viewer = await startViewer(t);
  for (const origin of [
    ...["https://evil.example", "http://localhost", "http://localhost:8790", `http://127.0.0.1:${viewer.port}`],
    ...[`http://localhost:${viewer.port}.evil.example`, "file://", "chrome-extension://abc", "NULL", "null, null"],
  ]) {
    for (const [method, path] of [
      ["POST", PAGE_PATH],
      ["GET", PAGE_PATH],
      ["GET", `${PAGE_PATH}/list`],
      ["OPTIONS", PAGE_PATH],
      ["POST", "/mcp"],
    ] as const) {
      const headers = {
        ...viewer.page(),
        authorization: `Bearer ${VIEWER_TOKEN}`,
        origin,
        "content-type": "image/png",
      };
      const answer = await viewer.ask(path, { method, headers, body: method === "POST" ? await pngOf() : "" });
      assert.deepEqual(codeOf(answer), [403, "foreign-page"], `${origin} ${method} ${path}`);
      assert.equal(allowedOrigin(answer), undefined);
    }
  }
  assert.deepEqual([await viewer.files(), await viewer.incoming()], [[], []]);
});

test("the page itself may call, under either local name", async (t) => {
  const viewer = await startViewer(t);
  for (const host of [`localhost:${viewer.port}`, `127.0.0.1:${viewer.port}`, `[::1]:${viewer.port}`]) {
    const headers = { ...viewer.page(), host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    const answer = await viewer.ask(PAGE_PATH, {
      method: "POST",
      headers: { ...headers, "content-type": "image/png" },
      body: await pngOf(),
    });
    assert.deepEqual([answer.status, allowedOrigin(answer)], [201, undefined], host);
  }
});

test("a page in a sandboxed frame has the origin null: with the token it may call and read, without it it only gets the error", async (t) => {
  const viewer = await startViewer(t);
  const frame = { origin: "null", "sec-fetch-site": "cross-site", "content-type": "image/png" };
  const body = await pngOf();
  const saved = await viewer.ask(PAGE_PATH, { method: "POST", headers: { ...frame, ...viewer.page() }, body });
  assert.deepEqual([saved.status, allowedOrigin(saved)], [201, "null"]);
  assert.match(saved.headers["access-control-expose-headers"] ?? "", /location/);
  const list = await viewer.ask(`${PAGE_PATH}/list`, { headers: { ...frame, ...viewer.page() } });
  assert.deepEqual([list.status, allowedOrigin(list), list.headers.vary?.includes("origin")], [200, "null", true]);
  const refusals: [Answer, string][] = [
    [await viewer.ask(PAGE_PATH, { method: "POST", headers: frame, body }), "page-token-needed"],
    // As a proxy sends it that asks people for a password, for a form of any other site.
    [
      await viewer.ask(PAGE_PATH, {
        method: "POST",
        headers: { ...frame, authorization: `Bearer ${VIEWER_TOKEN}`, "x-forwarded-for": "203.0.113.9" },
        body,
      }),
      "page-token-needed",
    ],
    [await viewer.ask(`${PAGE_PATH}/list`, { headers: { ...frame, "x-viewer-token": "x" } }), "page-token-wrong"],
    [
      await viewer.ask(PAGE_PATH, {
        method: "POST",
        headers: { ...frame, ...viewer.page(), "content-type": "text/plain" },
        body,
      }),
      "unsupported-media-type",
    ],
    [await viewer.ask(`${PAGE_PATH}/x`, { headers: { ...frame, ...viewer.page() } }), "paste-unknown"],
  ];
  for (const [answer, code] of refusals) {
    assert.deepEqual([codeOf(answer)[1], allowedOrigin(answer)], [code, "null"]);
  }
  for (const answer of [saved, list, ...refusals.map(([answer]) => answer)]) {
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  }
});

test("other sites' sandboxed frames have the origin null, too: they cannot read the page, which has a token, or anything else", async (t) => {
  const viewer = await startViewer(t);
  const frame = { origin: "null", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
  for (const [method, path] of [
    ["GET", PAGE_PATH],
    ["HEAD", PAGE_PATH],
    ["GET", "/screenshot%2dpaste"],
    ["GET", "/"],
    ["GET", "/metrics"],
    ["POST", "/mcp"],
    ["OPTIONS", "/mcp"],
  ] as const) {
    const answer = await viewer.ask(path, { method, headers: { ...frame, ...viewer.page() } });
    assert.deepEqual([answer.status, allowedOrigin(answer)], [403, undefined], `${method} ${path}`);
    assert.doesNotMatch(answer.body.toString(), /v1\.[0-9a-f]{16}/);
  }
});

test("the preflight for a sandboxed frame says what it may send, and never allows cookies", async (t) => {
  const viewer = await startViewer(t);
  for (const [path, method] of [
    [PAGE_PATH, "POST"],
    [`${PAGE_PATH}/list`, "GET"],
    [`${PAGE_PATH}/events`, "GET"],
    [`${PAGE_PATH}/20200101-000000-000-abc123`, "PATCH"],
    [`${PAGE_PATH}/20200101-000000-000-abc123`, "DELETE"],
    [`${PAGE_PATH}/20200101-000000-000-abc123/restore`, "POST"],
    [`${PAGE_PATH}/20200101-000000-000-abc123/optimized.png`, "GET"],
    [`${PAGE_PATH}/20200101-000000-000-abc123/thumbnail.webp`, "GET"],
  ] as const) {
    const answer = await viewer.ask(path, {
      method: "OPTIONS",
      headers: {
        origin: "null",
        "access-control-request-method": method,
        "access-control-request-headers": "content-type,x-viewer-token",
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "cors",
      },
    });
    assert.deepEqual([answer.status, allowedOrigin(answer), answer.body.length], [204, "null", 0], path);
    assert.ok(answer.headers["access-control-allow-methods"]?.split(", ").includes(method), path);
    assert.equal(answer.headers["access-control-allow-headers"], "x-viewer-token, content-type");
    assert.equal(answer.headers["access-control-max-age"], "600");
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  }
});

test("other sites may link to the page or frame it, but not load it in other ways", async (t) => {
  const viewer = await startViewer(t);
  for (const site of ["cross-site", "same-site"]) {
    for (const dest of ["iframe", "document"]) {
      const headers = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": dest };
      assert.equal((await viewer.ask(PAGE_PATH, { headers })).status, 200, `${site} ${dest}`);
      const posted = await viewer.ask(PAGE_PATH, { method: "POST", headers: { ...headers, ...viewer.page() } });
      assert.deepEqual(codeOf(posted), [403, "foreign-page"]);
    }
    for (const mode of ["no-cors", "cors"]) {
      for (const path of [PAGE_PATH, `${PAGE_PATH}/list`]) {
        const headers = { ...viewer.page(), "sec-fetch-site": site, "sec-fetch-mode": mode };
        assert.deepEqual(codeOf(await viewer.ask(path, { headers })), [403, "foreign-page"], `${site} ${mode} ${path}`);
      }
    }
  }
});
