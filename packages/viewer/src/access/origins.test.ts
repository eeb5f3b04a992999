import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_PATH } from "@backplane/contract/viewer";
import { type Answer, codeOf, pngOf, startViewer, VIEWER_TOKEN } from "../routes/viewer-under-test.suite.ts";

const allowedOrigin = ({ headers }: Answer) => headers["access-control-allow-origin"];

test("a page of another origin is refused, even with a good token: 403 foreign-page, and it may not read the answer", async (t) => {
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

test("the page itself may call, by either name of this machine", async (t) => {
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

test("a page in a sandboxed frame has the origin null: with the token it may call and read, without it only learns why not", async (t) => {
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

test("anybody's sandboxed frame has the origin null: it cannot read the page, which holds a token, and no other address", async (t) => {
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

test("the preflight of a sandboxed frame says what it may send, and never that cookies go along", async (t) => {
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

test("a frame and a link of another site may show the page; what its pages load in other ways is refused", async (t) => {
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
