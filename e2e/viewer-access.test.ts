import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { MCP_PATH, PAGE_PATH, type Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import sharp from "sharp";
import { createPageTokens } from "../packages/viewer/src/guard/page-tokens.ts";
import { pastesFolder } from "../packages/viewer/src/pastes/storage/folder.ts";
import { readPageKey } from "../packages/viewer/src/pastes/storage/page-key.ts";
import { readServerFile } from "../packages/viewer/src/pastes/storage/server-file.ts";
import { someOf } from "../scripts/testing/long.ts";
import { type RunningViewer, startViewer, tokenIn } from "./support/viewer.ts";
import { type Asked, ask, openSocket, readSocket } from "./support/viewer-raw.ts";

const CANARY = "cAnArY0123456789abcdefCANARY";
const MCP_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const MCP_BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

let viewer: RunningViewer;
let token: string;
let secret: string;
let viewerToken: string;
let good: Buffer;
let id: string;
let kept: string[];

before(async () => {
  viewer = await startViewer({ LOG_LEVEL: "trace" });
  token = await viewer.token();
  secret = (await readServerFile(viewer.project))?.secret ?? "";
  viewerToken = readFileSync(join(viewer.home, "viewer-token"), "utf8").trim();
  good = await sharp({ create: { width: 20, height: 20, channels: 3, background: "#2b6" } })
    .png()
    .toBuffer();
  const answer = await call({ method: "POST", headers: { "x-viewer-token": token }, body: good });
  assert.equal(answer.status, 201, answer.text);
  id = (JSON.parse(answer.text) as Paste).id;
  kept = viewer.files();
});
after(() => viewer?.[Symbol.asyncDispose]());

const call = ({ headers, ...asked }: Asked) =>
  ask(viewer.port, {
    ...asked,
    headers: { "content-type": "image/png", host: `localhost:${viewer.port}`, ...headers },
  });
const verdict = ({ status, code }: { status: number; code: string | undefined }) => [status, code];

/** Every request that reads or changes data. */
const calls = (): Asked[] => [
  { method: "POST", body: good },
  { path: `${PAGE_PATH}/list` },
  { path: `${PAGE_PATH}/search?q=a` },
  { path: `${PAGE_PATH}/events` },
  { path: `${PAGE_PATH}/${id}` },
  {
    method: "PATCH",
    path: `${PAGE_PATH}/${id}`,
    headers: { "content-type": "application/json" },
    body: '{"name":"a"}',
  },
  { method: "DELETE", path: `${PAGE_PATH}/${id}` },
  { method: "POST", path: `${PAGE_PATH}/${id}/restore` },
  { method: "POST", path: `${PAGE_PATH}/widget`, headers: { "content-type": "application/json" }, body: "{}" },
  { path: `${PAGE_PATH}/${id}/optimized.png` },
  { path: `${PAGE_PATH}/${id}/original.png` },
  { path: `${PAGE_PATH}/${id}/thumbnail.webp` },
];
const mcpCall = (): Asked => ({ method: "POST", path: MCP_PATH, headers: MCP_HEADERS, body: MCP_BODY });

/** All requests are refused with these headers, and nothing changes. */
async function expectRefused(asked: readonly Asked[], headers: Record<string, string>, expected: [number, string]) {
  for (const one of asked) {
    const answer = await call({ ...one, headers: { ...one.headers, ...headers } });
    assert.deepEqual(verdict(answer), expected, `${one.method ?? "GET"} ${one.path} ${JSON.stringify(headers)}`);
  }
  assert.deepEqual(viewer.files(), kept);
}

test("a missing, wrong or expired token is 401, another project's token 403, on every route", async (t) => {
  const elsewhere = mkdtempSync(join(tmpdir(), "backplane-elsewhere-"));
  t.after(() => rmSync(elsewhere, { recursive: true }));
  const key = await readPageKey(viewer.project);
  const makeToken = (project: string, withKey: Buffer, sinceMs = 0) =>
    createPageTokens({ project, key: withKey, now: () => Date.now() - sinceMs }).make();
  const own = makeToken(viewer.project, key);
  assert.equal((await call({ path: `${PAGE_PATH}/list`, headers: { "x-viewer-token": own } })).status, 200);

  await expectRefused(calls(), {}, [401, "page-token-needed"]);
  const [version, project, expires, mac] = token.split(".");
  for (const wrong of [
    "",
    CANARY,
    "v1",
    `${version}.${project}.${expires}.`,
    `${version}.${project}.${Number(expires) + 1}.${mac}`,
    `${version}.${project}.999999999999999.${mac}`,
    `${token}x`,
    `v2.${project}.${expires}.${mac}`,
    makeToken(viewer.project, randomBytes(32)),
    makeToken(viewer.project, key, VIEWER_LIMITS.pageTokenLifeMs + 1_000),
  ]) {
    await expectRefused(calls(), { "x-viewer-token": wrong }, [401, "page-token-wrong"]);
  }
  await expectRefused(calls(), { "x-viewer-token": makeToken(elsewhere, key) }, [403, "other-project"]);
  await expectRefused(calls(), { authorization: `Bearer ${CANARY}` }, [401, "page-token-wrong"]);
  // A token in the address is not accepted: addresses end up in logs.
  await expectRefused([{ path: `${PAGE_PATH}/list?x-viewer-token=${token}` }], {}, [401, "page-token-needed"]);
});

test("pages of other sites are refused with any token: 403, also at /mcp", async () => {
  const origins = [
    "https://evil.example",
    "http://localhost",
    `http://localhost:${viewer.port + 1}`,
    `http://localhost:${viewer.port}.evil.example`,
    `http://evil.example:${viewer.port}`,
    "chrome-extension://abcdefghijklmnop",
    "file://",
  ];
  const proofs: Record<string, string>[] = [{}, { "x-viewer-token": token }, { authorization: `Bearer ${secret}` }];
  for (const [at, origin] of origins.entries()) {
    for (const proof of someOf(proofs, proofs.length, at)) {
      await expectRefused([...calls(), { path: PAGE_PATH }, mcpCall()], { origin, ...proof }, [403, "foreign-page"]);
    }
  }
  for (const site of ["cross-site", "same-site"]) {
    const headers = { "sec-fetch-site": site, "sec-fetch-mode": "cors", "x-viewer-token": token };
    await expectRefused([...calls(), { path: PAGE_PATH }, mcpCall()], headers, [403, "foreign-page"]);
  }
  // A sandboxed frame can belong to any site: it may call with a token, but not read the page that contains one.
  await expectRefused([{ path: PAGE_PATH }, mcpCall()], { origin: "null" }, [403, "foreign-page"]);
  await expectRefused(calls(), { origin: "null" }, [401, "page-token-needed"]);
  const ours = await call({ path: `${PAGE_PATH}/list`, headers: { origin: "null", "x-viewer-token": token } });
  assert.deepEqual([ours.status, ours.headers["access-control-allow-origin"]], [200, "null"]);
  assert.equal((await call({ ...mcpCall() })).status, 200, "a program is allowed");
});

test("a foreign host name that resolves to this machine (DNS rebinding) is refused: 421, also at /mcp", async () => {
  const strange = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80", "0.0.0.0"];
  const hosts = [...strange, "10.0.0.1", "[::2]", "localhost@evil.example", "evil.example#localhost"];
  for (const [at, host] of hosts.entries()) {
    const origin = `http://${host}`;
    const proofs: Record<string, string>[] = [
      {},
      { "x-viewer-token": token },
      { origin },
      { authorization: `Bearer ${viewerToken}` },
    ];
    for (const extra of someOf(proofs, proofs.length, at)) {
      const asked = [...calls(), { path: PAGE_PATH }, { path: "/" }, mcpCall()];
      await expectRefused(asked, { host, ...extra }, [421, "host-unknown"]);
    }
  }
  const absolute = `GET http://evil.example${PAGE_PATH} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
  assert.deepEqual(verdict(await readSocket(await openSocket(viewer.port, absolute))), [421, "host-unknown"]);
  for (const host of [`localhost:${viewer.port}`, "127.0.0.1", "[::1]:8770"]) {
    assert.equal((await call({ path: PAGE_PATH, headers: { host } })).status, 200, host);
    assert.equal((await call({ ...mcpCall(), headers: { ...MCP_HEADERS, host } })).status, 200, host);
  }
});

test("proxied requests count as remote, and need the viewer token: 401", async () => {
  for (const header of ["x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-proto"]) {
    const asked = [...calls(), { path: PAGE_PATH }, mcpCall()];
    await expectRefused(asked, { [header]: "127.0.0.1", "x-viewer-token": token }, [401, "viewer-token-needed"]);
    const wrong = { [header]: "127.0.0.1", authorization: `Bearer ${secret}` };
    await expectRefused(asked, wrong, [401, "viewer-token-wrong"]);
  }
  const headers = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${viewerToken}` };
  assert.equal((await call({ path: `${PAGE_PATH}/list`, headers })).status, 200);
});

test("the output at LOG_LEVEL=trace contains no token, secret or key; their files are readable only by the owner", async () => {
  const form = `--b\r\nContent-Disposition: form-data; name="image"; filename="${CANARY}.png"\r\n\r\nx\r\n--b--\r\n`;
  const headers = { "x-viewer-token": token, "content-type": "multipart/form-data; boundary=b", cookie: `a=${CANARY}` };
  assert.equal((await call({ method: "POST", headers, body: form })).code, "not-an-image");
  await call({ path: `${PAGE_PATH}/list?token=${token}`, headers: { referer: `http://localhost/?token=${token}` } });
  const broken = `GET ${PAGE_PATH} HTTP/1.1\r\nX-Viewer-Token: ${token}\r\nAuthorization: Bearer ${secret}\r\nbroken\r\n\r\n`;
  assert.equal((await readSocket(await openSocket(viewer.port, broken))).status, 400);
  const page = await call({ path: PAGE_PATH });
  const folder = pastesFolder(viewer.project);
  const key = readFileSync(folder.key);
  for (const path of [folder.key, folder.server, folder.records, join(viewer.home, "viewer-token")]) {
    assert.equal(statSync(path).mode & 0o077, 0, path);
  }
  await viewer.kill("SIGTERM");
  const printed = viewer.output();
  await viewer.start();
  assert.ok(printed.split('"answered"').length > 200, "the requests were logged");
  const secrets = { token, secret, viewerToken, CANARY, "another token": tokenIn(page.text) };
  for (const [what, value] of Object.entries(secrets)) {
    assert.ok(value.length > 20, what);
    // A token's project and expiry may be logged, but not its signature.
    assert.ok(!printed.includes(value.split(".").at(-1) ?? value), what);
  }
  for (const form of ["hex", "base64", "base64url"] as const) assert.ok(!printed.includes(key.toString(form)), form);
});
