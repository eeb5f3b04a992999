import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import type { Opening } from "@backplane/contract/panels";
import { type FastifyRequest, fastify } from "fastify";
import { openWeb } from "./web.ts";

const SCRIPT = "console.log('a');".repeat(500);

async function serveBuild(
  t: TestContext,
  {
    command = "backplane",
    isHere = (): boolean => false,
    openingFor = async (_request: FastifyRequest): Promise<Opening | undefined> => undefined,
  } = {},
) {
  const dist = mkdtempSync(join(tmpdir(), "backplane-web-"));
  t.after(() => rmSync(dist, { recursive: true }));
  mkdirSync(join(dist, "assets"));
  writeFileSync(join(dist, "index.html"), "<!doctype html><head></head>");
  writeFileSync(join(dist, "workspace.html"), "<!doctype html><head></head><body><i>workspace</i></body>");
  writeFileSync(join(dist, "assets/app.js"), SCRIPT);
  writeFileSync(join(dist, "assets/socket-worker-C2cBwapb.js"), SCRIPT);
  writeFileSync(join(dist, "assets/socket-worker-C2cBwapb.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(dist, "assets/app.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(dist, "assets/step-worker-x1.js"), SCRIPT);
  writeFileSync(join(dist, "assets/step-worker-x1.js.br"), brotliCompressSync(SCRIPT));
  const app = fastify();
  t.after(() => app.close());
  await openWeb({ command, isHere, dist }).addRoutes(app, openingFor);
  return app;
}

test("assets are sent as they were compressed by the build, and the compressed files have no address", async (t) => {
  const app = await serveBuild(t);
  const packed = await app.inject({ url: "/assets/app.js", headers: { "accept-encoding": "gzip, br" } });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.match(String(packed.headers["content-type"]), /javascript/);
  assert.match(String(packed.headers["cache-control"]), /immutable/);
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), SCRIPT);

  const plain = await app.inject({ url: "/assets/app.js" });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.body, SCRIPT);
  assert.equal((await app.inject({ url: "/assets/app.js.br" })).statusCode, 404);
});

test("only the worker that reads STEP files may make code, and it can load nothing", async (t) => {
  const app = await serveBuild(t);
  for (const headers of [{}, { "accept-encoding": "br" }]) {
    const worker = await app.inject({ url: "/assets/step-worker-x1.js", headers });
    assert.equal(worker.headers["content-security-policy"], "default-src 'none'; script-src 'unsafe-eval'");
    const other = await app.inject({ url: "/assets/app.js", headers });
    assert.doesNotMatch(String(other.headers["content-security-policy"]), /eval/);
  }
});

test("the worker that has a connection connects to its own origin and loads nothing", async (t) => {
  const app = await serveBuild(t);
  const policyOf = async (url: string) =>
    (await app.inject({ url, headers: { "accept-encoding": "br" } })).headers["content-security-policy"];
  const policy = await policyOf("/assets/socket-worker-C2cBwapb.js");
  assert.match(String(policy), /^default-src 'none'; .*; connect-src 'self'$/);
  assert.equal(await policyOf("/assets/app.js"), undefined, "as every other answer");
});

test("pages load and run only what their own origin serves, and cannot be framed; only workspaces show other sites, in frames", async (t) => {
  const app = await serveBuild(t);
  const pages = [
    "/",
    "/workspaces",
    "/packages/org.example.one",
    "/account",
    "/auth/intent",
    "/auth/join",
    "/auth/reset",
  ];
  for (const url of [...pages, "/auth/sign-in", "/w/ada/rover"]) {
    const { statusCode, headers } = await app.inject({ url });
    assert.equal(statusCode, 200, url);
    const directives = String(headers["content-security-policy"]).split("; ");
    const allowed = new Map(directives.map((each) => [each.split(" ")[0], each.split(" ").slice(1)]));
    const isAllowed = (name: string) => allowed.get(name)?.join(" ");
    assert.deepEqual(["default-src", "base-uri", "frame-ancestors"].map(isAllowed), Array(3).fill("'none'"), url);
    assert.deepEqual(["script-src", "style-src", "form-action"].map(isAllowed), Array(3).fill("'self'"), url);
    assert.equal(isAllowed("frame-src"), url.startsWith("/w/") ? "http: https:" : undefined, url);
    allowed.delete("frame-src");
    for (const source of [...allowed.values()].flat()) assert.match(source, /^('none'|'self'|data:|blob:)$/, url);
  }
});

test("pages tell browsers on this machine how its command is called, and others nothing", async (t) => {
  let isHere = true;
  const app = await serveBuild(t, { command: `/home/ada/"b&p"/backplane`, isHere: () => isHere });
  const pageOf = async () => (await app.inject({ url: "/packages" })).body;
  assert.match(await pageOf(), /<meta name="backplane-command" content="\/home\/ada\/&quot;b&amp;p&quot;\/backplane">/);
  isHere = false;
  assert.doesNotMatch(await pageOf(), /backplane-command|ada/);
});

const OPENING = {
  user: { name: "ada" },
  catalog: { panels: [] },
  layout: { revision: 3, root: { type: "leaf", tabs: [{ displayName: "</script><script>alert(1)//<!--" }] } },
} as unknown as Opening;

test("the page of a workspace has what it asks first, as data that cannot end early, and nothing stores it", async (t) => {
  const app = await serveBuild(t, { openingFor: async ({ url }) => (url === "/w/ada/rover" ? OPENING : undefined) });
  const { body, headers } = await app.inject({ url: "/w/ada/rover" });
  assert.equal(headers["cache-control"], "no-store");
  const [, json = ""] = /<script type="application\/json" id="opening">([^<]*)<\/script><\/body>/.exec(body) ?? [];
  assert.deepEqual(JSON.parse(json), OPENING);
  assert.equal(body.match(/<script/g)?.length, 1);

  const without = await app.inject({ url: "/w/ada/other" });
  assert.match(without.body, /<i>workspace<\/i>/, "the page asks for itself");
  assert.doesNotMatch(without.body, /opening|ada/);
  assert.equal(without.headers["cache-control"], "no-cache");
  assert.equal((await app.inject({ url: "/workspace.html" })).statusCode, 404);
});
