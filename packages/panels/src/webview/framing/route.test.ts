import assert from "node:assert/strict";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { selfSigned } from "../self-signed.suite.ts";
import { html, openSite } from "../site-under-test.suite.ts";
import { openUnderTest, type UnderTest } from "../webviews-under-test.suite.ts";

const PATH = "/api/panels/webview/ada/demo/framing";
const look = async (under: UnderTest, url: string) => {
  const { status, body } = await under.call("POST", PATH, { url });
  assert.equal(status, 200, JSON.stringify(body));
  return [body.framing, body.reason];
};

test("the answer has what a site's headers say about frames, and nothing else from the site", async (t) => {
  const under = await openUnderTest(t);
  const answers: Record<string, Record<string, string>> = {
    "/fine": {},
    "/deny": { "x-frame-options": "DENY" },
    "/none": { "content-security-policy": "frame-ancestors 'none'" },
    "/ours": { "content-security-policy": "frame-ancestors http://localhost:8790", "x-frame-options": "DENY" },
    "/file": { "content-disposition": "attachment; filename=a.txt" },
  };
  const site = await openSite(t, ({ url = "" }, response) => html(response, "hidden word", answers[url] ?? {}));
  assert.deepEqual(await look(under, `${site.origin}/fine#part`), ["allowed", null]);
  assert.deepEqual(await look(under, `${site.origin}/deny`), ["refused", "x-frame-options"]);
  assert.deepEqual(await look(under, `${site.origin}/none`), ["refused", "frame-ancestors"]);
  assert.deepEqual(await look(under, `${site.origin}/ours`), ["allowed", null]);
  assert.deepEqual(await look(under, `${site.origin}/file`), ["refused", "download"]);
  const { body } = await under.call("POST", PATH, { url: `${site.origin}/deny` });
  assert.deepEqual(Object.keys(body).sort(), ["framing", "reason"]);
  for (const { method, headers } of site.seen) {
    assert.equal(method, "HEAD");
    assert.deepEqual(
      [headers.cookie, headers.authorization, headers.referer, headers.origin],
      Array(4).fill(undefined),
    );
  }
});

test("the icon of a site is a small picture as a data URL, and nothing else from the site", async (t) => {
  const under = await openUnderTest(t, { limits: { maxSiteIconBytes: 100 } });
  const ask = async (url: string) => (await under.call("POST", PATH.replace("framing", "icon"), { url })).body;
  let answer: { status: number; type: string; body: string } = { status: 200, type: "image/png", body: "PNG" };
  const site = await openSite(t, ({ url = "" }, response) => {
    const { status, type, body } = url === "/favicon.ico" ? answer : { status: 404, type: "text/plain", body: "" };
    response.writeHead(status, { "content-type": type }).end(body);
  });
  const icon = `data:image/png;base64,${Buffer.from("PNG").toString("base64")}`;
  assert.deepEqual(await ask(`${site.origin}/some/page?q=1`), { icon });
  for (const other of [
    { status: 404, type: "image/png", body: "PNG" },
    { status: 200, type: "text/html", body: "hidden word" },
    { status: 200, type: "image/svg+xml", body: "<svg/>" },
    { status: 200, type: "image/png", body: "x".repeat(101) },
  ]) {
    answer = other;
    assert.deepEqual(await ask(site.origin), { icon: null }, JSON.stringify(other));
  }
  assert.deepEqual(await ask("http://192.168.0.1/"), { icon: null }, "a private address");
  assert.equal((await under.call("POST", PATH.replace("framing", "icon"), { url: site.origin }, "")).status, 401);
  for (const { headers } of site.seen) assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
});

test("redirects are followed up to a limit, each checked; their own headers do not count", async (t) => {
  const under = await openUnderTest(t, { limits: { maxFramingRedirects: 2 } });
  const site = await openSite(t, ({ url = "" }, response) => {
    const left = Number(url.slice(1));
    if (url === "/private") response.writeHead(302, { location: "http://192.168.0.1/" }).end();
    else if (url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
    else if (left > 0) response.writeHead(302, { location: `/${left - 1}`, "x-frame-options": "DENY" }).end();
    else html(response, "page");
  });
  assert.deepEqual(await look(under, `${site.origin}/2`), ["allowed", null]);
  assert.deepEqual(await look(under, `${site.origin}/3`), ["unknown", null]);
  assert.deepEqual(await look(under, `${site.origin}/private`), ["unknown", "private-address"]);
  assert.deepEqual(await look(under, `${site.origin}/file`), ["unknown", null]);
});

test("why a site cannot be checked: name, port, no answer, certificate, private address", async (t) => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  const secure = createSecureServer(selfSigned("127.0.0.1"), (_request, response) => response.end());
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  t.after(() => [silent, secure].forEach((server) => void server.close()));
  const resolveName = async () => {
    throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  };
  const under = await openUnderTest(t, { resolveName });
  const hasty = await openUnderTest(t, { limits: { framingTimeoutMs: 500 } });
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  assert.deepEqual(await look(under, "http://none.example/"), ["unknown", "name-not-found"]);
  assert.deepEqual(await look(under, "http://127.0.0.1:2/"), ["unknown", "unreachable"]);
  assert.deepEqual(await look(hasty, `http://127.0.0.1:${portOf(silent)}/`), ["unknown", "timeout"]);
  assert.deepEqual(await look(under, `https://127.0.0.1:${portOf(secure)}/`), ["unknown", "certificate"]);
  assert.deepEqual(await look(under, "http://10.0.0.1/"), ["unknown", "private-address"]);
  assert.deepEqual(await look(under, `http://127.0.0.1:${under.port}/`), ["unknown", "private-address"]);
  assert.deepEqual(await look(under, "http://127.0.0.1:9/"), ["refused", "port"]);
});

test("missing key 401, not one's workspace or no scope 403, a wrong address 422 that names the field", async (t) => {
  const under = await openUnderTest(t);
  const url = "https://example.org/";
  assert.equal((await under.call("POST", PATH, { url }, "")).status, 401);
  for (const person of ["bob", "reader-ada"])
    assert.equal((await under.call("POST", PATH, { url }, person)).status, 403);
  for (const body of [
    {},
    { url: 5 },
    { url: "" },
    { url: "file:///etc/passwd" },
    { url: "https://a:b@example.org/" },
  ]) {
    const { status, body: problem } = await under.call("POST", PATH, body);
    assert.deepEqual([status, problem.errors[0].pointer], [422, "/url"], JSON.stringify(body));
  }
});

test("checks per person are limited (429); others are not affected, and slots become free again", async (t) => {
  const under = await openUnderTest(t, { limits: { maxFramingChecksPerPerson: 1 } });
  const waiting: (() => void)[] = [];
  const arrived = Promise.withResolvers<void>();
  const site = await openSite(t, (request, response) => {
    if (request.url !== "/waits") return html(response, "page");
    waiting.push(() => html(response, "page"));
    arrived.resolve();
  });
  const first = look(under, `${site.origin}/waits`);
  await arrived.promise;
  const second = await under.call("POST", PATH, { url: `${site.origin}/` });
  assert.deepEqual([second.status, second.body.code], [429, "too-many-requests"]);
  const other = await under.call("POST", PATH.replace("ada", "bob"), { url: `${site.origin}/` }, "bob");
  assert.equal(other.status, 200);
  for (const answer of waiting) answer();
  assert.deepEqual(await first, ["allowed", null]);
  assert.deepEqual(await look(under, `${site.origin}/`), ["allowed", null]);
});
