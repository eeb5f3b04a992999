import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import { ask } from "../frame-request.suite.ts";
import { html, openSite } from "../site-under-test.suite.ts";
import { enter, follow, openUnderTest } from "../webviews-under-test.suite.ts";

test("a page comes through: the tracker comes first, addresses stay in the frame, headers against framing are removed", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (request, response) => {
    html(
      response,
      `<!doctype html><html><head><title>T</title></head><body><a href="http://${request.headers.host}/two?a=1">2</a>`,
      {
        "x-frame-options": "DENY",
        "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
        "strict-transport-security": "max-age=1",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "clear-site-data": '"*"',
        "alt-svc": 'h3=":443"',
        "service-worker-allowed": "/",
        "access-control-allow-origin": "*",
        "set-cookie": ["sid=abc; Path=/; Domain=127.0.0.1; HttpOnly; SameSite=Lax", "backplane_pass=stolen; Path=/"],
      },
    );
  });
  const visitor = await enter(under, `${site.origin}/one?x=1#part`);
  assert.equal(visitor.path, "/one?x=1#part");
  const page = await visitor.get("/one?x=1");
  assert.equal(page.status, 200);
  assert.match(page.body, /^<!doctype html><html><head><script>/);
  assert.ok(page.body.includes(`"site":"${site.origin}"`));
  assert.match(page.body, /<a href="\/two\?a=1">2<\/a>/);
  for (const name of [
    "x-frame-options",
    "strict-transport-security",
    "cross-origin-opener-policy",
    "clear-site-data",
  ]) {
    assert.equal(page.headers[name], undefined, name);
  }
  for (const name of [
    "cross-origin-embedder-policy",
    "alt-svc",
    "service-worker-allowed",
    "access-control-allow-origin",
  ]) {
    assert.equal(page.headers[name], undefined, name);
  }
  assert.equal(
    page.headers["content-security-policy"],
    "sandbox allow-scripts allow-forms allow-same-origin; frame-ancestors 'self' http://localhost:8790 http://127.0.0.1:8790",
  );
  assert.deepEqual(page.headers["set-cookie"], ["sid=abc; Path=/; HttpOnly; SameSite=None; Secure; Partitioned"]);
  assert.equal(page.headers["cache-control"], "private, no-store");
  assert.equal(page.headers["cross-origin-resource-policy"], "same-origin");
});

test("the site sees its own host name, its own cookies but not ours, and the browser's user agent", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.end("ok"));
  const visitor = await enter(under, site.origin);
  await visitor.get("/api?q=1", {
    method: "POST",
    isPage: false,
    body: "a=1",
    headers: {
      cookie: `a=1; ${visitor.cookie}; b=2; backplane_pass=other`,
      origin: visitor.frame,
      referer: `${visitor.frame}/from?x=1`,
      "user-agent": "Browser/1",
      "x-forwarded-for": "1.2.3.4",
      "content-type": "application/x-www-form-urlencoded",
    },
  });
  const [{ headers, url, method } = assert.fail("nothing came")] = site.seen;
  assert.deepEqual([method, url, headers.host], ["POST", "/api?q=1", new URL(site.origin).host]);
  assert.deepEqual([headers.origin, headers.referer], [site.origin, `${site.origin}/from?x=1`]);
  assert.deepEqual([headers.cookie, headers["user-agent"]], ["a=1; b=2", "Browser/1"]);
  assert.equal(headers["x-forwarded-for"], undefined);
  assert.doesNotMatch(JSON.stringify(headers), /backplane|w-[a-z2-7]{32}/);
});

test("a form of another site does not carry a site's cookies, unless they are for that", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => html(response, "page"));
  const visitor = await enter(under, `${site.origin}/`);
  const cookie = `${visitor.cookie}; session=1; open=1; backplane_open.open=`;
  const sent = async (headers: Record<string, string>, method = "POST") => {
    await visitor.get("/pay", { method, headers: { cookie, ...headers } });
    return site.seen.at(-1)?.headers.cookie;
  };
  assert.equal(await sent({ origin: "null", "sec-fetch-site": "cross-site" }), "open=1");
  assert.equal(await sent({ origin: "http://w-other.localhost:8790", "sec-fetch-site": "same-site" }), "open=1");
  assert.equal(await sent({ origin: visitor.frame, "sec-fetch-site": "same-origin" }), "session=1; open=1");
  // A page that hides its origin, and a link from elsewhere.
  assert.equal(await sent({ origin: "null", "sec-fetch-site": "same-origin" }), "session=1; open=1");
  assert.equal(await sent({ "sec-fetch-site": "cross-site" }, "GET"), "session=1; open=1");
});

test("a request that another origin's page makes does not look like the site's own", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.end("ok"));
  const visitor = await enter(under, site.origin);
  const headers = { origin: "http://w-other.localhost:8790", referer: "http://w-other.localhost:8790/x" };
  await visitor.get("/api", { method: "POST", body: "a", headers });
  assert.deepEqual([site.seen[0]?.headers.origin, site.seen[0]?.headers.referer], ["null", undefined]);
});

test("a Refresh header stays in the frame; one that is longer than an address may be is dropped", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (request, response) => {
    const address = `http://${request.headers.host}/two`;
    const refresh = request.url === "/long" ? `0;url=a${" ".repeat(12_000)}b` : `0; url=${address}`;
    html(response, `<meta http-equiv=refresh content="${refresh}${" ".repeat(200_000)}b">`, { refresh });
  });
  const visitor = await enter(under, site.origin);
  assert.equal((await visitor.get("/short")).headers.refresh, "0; url=/two");
  const long = await visitor.get("/long");
  assert.deepEqual([long.status, long.headers.refresh], [200, undefined]);
  assert.doesNotMatch(long.body, /http-equiv/);
});

test("a missing, foreign, expired or changed pass is 403 in plain words, and the site gets no request", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.end("ok"));
  const [visitor, other] = [await enter(under, site.origin), await enter(under, "http://127.0.0.1:1/")];
  const bob = await enter(under, site.origin, { person: "bob", owner: "bob" });
  assert.equal(new Set([visitor.label, other.label, bob.label]).size, 3);
  const refused = async (cookie: string, host = visitor.host) => {
    const { status, body } = await ask(under.port, host, "/", { headers: { cookie } });
    assert.equal(status, 403);
    assert.match(body, /This page opens in a panel only/);
  };
  await refused("");
  await refused(other.cookie);
  await refused(bob.cookie);
  await refused(visitor.cookie.replace(/\.(.)/, (_, first) => `.${first === "A" ? "B" : "A"}`));
  await refused(visitor.cookie.split(".")[0] ?? "");
  await refused("backplane_pass=..");
  await refused(visitor.cookie, "w-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.localhost:8790");
  under.clock.nowMs += 8 * 3_600_000;
  await refused(visitor.cookie);
  assert.equal(site.seen.length, 0);
});

test("a pass in an address works for a minute, at its own host, for a navigation, and only ever leads to a path of that host", async (t) => {
  const under = await openUnderTest(t);
  const { body } = await under.call("POST", "/api/panels/webview/ada/demo/pass", { url: "http://127.0.0.1:1/a" });
  const { host, pathname, search, searchParams } = new URL(body.src);
  const status = async (query: string | URLSearchParams, more = {}) =>
    (await ask(under.port, host, `${pathname}?${query}`, more)).status;
  assert.equal(await status(search.slice(1)), 307);
  assert.equal(await status(search.slice(1), { headers: { "sec-fetch-mode": "cors" } }), 403);
  assert.equal((await ask(under.port, "w-other.localhost", pathname + search)).status, 403);
  const pass = searchParams.get("pass") ?? "";
  for (const to of ["//evil.example/", "/\\evil.example/", "https://evil.example/", "/a\r\nx: y"]) {
    const answer = await ask(under.port, host, `${pathname}?${new URLSearchParams({ pass, to })}`);
    if (answer.status === 307) assert.equal(new URL(answer.headers.location ?? "", `http://${host}/`).host, host, to);
    else assert.equal(answer.status, 403, to);
  }
  under.clock.nowMs += 60_000;
  assert.equal(await status(search.slice(1)), 403);
});

test("the cookie is HttpOnly, works in a cross-site frame, and ends with the pass it came from", async (t) => {
  const under = await openUnderTest(t);
  const { body } = await under.call("POST", "/api/panels/webview/ada/demo/pass", { url: "http://127.0.0.1:1/a" });
  const { host, pathname, search } = new URL(body.src);
  const { headers } = await ask(under.port, host, pathname + search);
  assert.match(
    headers["set-cookie"]?.[0] ?? "",
    /^backplane_pass=[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=None; Secure; Partitioned$/,
  );
  assert.equal(headers.location, "/a");
  assert.equal(headers["cache-control"], "no-store");
});

test("redirects go to the browser: within the site as a path, to another site with a new pass; each hop is checked", async (t) => {
  const under = await openUnderTest(t);
  const second = await openSite(t, (_request, response) => html(response, "<p>second"));
  const first = await openSite(t, (request, response) => {
    const to = {
      "/in": "/next?a=1#b",
      "/out": `${second.origin}/there?q=1`,
      "/bad": "http://169.254.169.254/x",
      "/app": "tel:1",
    };
    response.writeHead(302, { location: to[request.url as keyof typeof to] ?? "" }).end();
  });
  const visitor = await enter(under, first.origin);
  assert.equal((await visitor.get("/in")).headers.location, "/next?a=1#b");
  assert.equal((await visitor.get("/app")).status, 403);

  const out = await visitor.get("/out");
  assert.match(out.headers.location ?? "", /^\/\.backplane\/go\/http%3A%2F%2F127/);
  const crossing = await visitor.get(out.headers.location ?? "");
  assert.equal(crossing.status, 307);
  const there = await follow(under, crossing.headers.location ?? "");
  assert.notEqual(there.label, visitor.label);
  assert.equal(there.path, "/there?q=1");
  assert.match((await there.get(there.path)).body, /<p>second/);

  const bad = await visitor.get((await visitor.get("/bad")).headers.location ?? "");
  const private_ = await follow(under, bad.headers.location ?? "");
  const refused = await private_.get("/x");
  assert.equal(refused.status, 403);
  assert.match(refused.body, /The proxy does not connect to this address/);
  // An image is not a page: the browser fetches it from the other site itself.
  assert.equal((await visitor.get("/out", { isPage: false })).headers.location, `${second.origin}/there?q=1`);
});

test("going to another site keeps form fields, and is refused for scripts and for people who left the organisation", async (t) => {
  const under = await openUnderTest(t);
  const visitor = await enter(under, "http://127.0.0.1:1/", { owner: "lab" });
  const go = `/.backplane/go/${encodeURIComponent("https://other.example/search?old=1")}`;
  const target = async (path: string) => {
    const { headers } = await visitor.get(path);
    return new URL(headers.location ?? "").searchParams.get("to");
  };
  assert.equal(await target(go), "/search?old=1");
  assert.equal(await target(`${go}?q=new`), "/search?q=new");
  assert.equal((await visitor.get(go, { isPage: false, headers: { "sec-fetch-mode": "no-cors" } })).status, 403);
  assert.equal((await visitor.get("/.backplane/go/javascript%3Aalert(1)")).status, 403);
  assert.equal((await visitor.get("/.backplane/go/%E0%A4%A")).status, 403);
  assert.equal((await ask(under.port, visitor.host, go)).status, 403);
  under.access.end("ada");
  assert.equal((await visitor.get(go)).status, 403);
});

test("passes end with the access they were taken by: in the cookie, in an address, and in the middle of an answer", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (request, response) => {
    if (request.url === "/endless") response.write("begun");
    else response.end("ok");
  });
  const [visitor, others] = [
    await enter(under, site.origin),
    await enter(under, site.origin, { person: "bob", owner: "bob" }),
  ];
  const { body } = await under.call("POST", "/api/panels/webview/ada/demo/pass", { url: site.origin });
  const { host, pathname, search } = new URL(body.src);
  assert.equal((await visitor.get("/")).status, 200);
  const endless = visitor.get("/endless");
  await untilAsserted(() => assert.equal(site.seen.at(-1)?.url, "/endless"));
  under.access.end("ada");
  await assert.rejects(endless, { code: "ECONNRESET" });
  assert.equal((await visitor.get("/")).status, 403);
  assert.equal((await ask(under.port, host, pathname + search)).status, 403);
  assert.equal((await others.get("/")).status, 200);
  assert.equal(under.access.followed(), 0);
});

test("passes derived from a pass end with it", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.end("ok"));
  const visitor = await enter(under, "http://127.0.0.1:1/");
  under.clock.nowMs += 7 * 3_600_000;
  const crossing = await visitor.get(`/.backplane/go/${encodeURIComponent(`${site.origin}/`)}`);
  const there = await follow(under, crossing.headers.location ?? "");
  assert.equal((await there.get("/")).status, 200);
  under.clock.nowMs += 3_600_000;
  assert.equal((await there.get("/")).status, 403);
});

test("a body is streamed to the site; a form's POST to another site keeps its body", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (request, response) => {
    const chunks: Buffer[] = [];
    request
      .on("data", (chunk) => chunks.push(chunk))
      .on("end", () => response.end(String(Buffer.concat(chunks).length)));
  });
  const visitor = await enter(under, site.origin);
  const body = Buffer.alloc(3_000_000, 1);
  assert.equal((await visitor.get("/up", { method: "POST", body, isPage: false })).body, "3000000");
  const chunked = { "transfer-encoding": "chunked" };
  assert.equal((await visitor.get("/up", { method: "PUT", body, headers: chunked, isPage: false })).body, "3000000");
  const other = await visitor.get(`/.backplane/go/${encodeURIComponent("https://other.example/")}`, {
    method: "POST",
    body: "a=1",
  });
  assert.equal(other.status, 307);
});

test("compressed pages are decompressed, in any character encoding", async (t) => {
  const under = await openUnderTest(t);
  const text = "<!doctype html><p>Grüße</p>";
  const kinds: Record<string, [Buffer, Record<string, string>]> = {
    "/gzip": [gzipSync(text), { "content-type": "text/html; charset=utf-8", "content-encoding": "gzip" }],
    "/deflate": [deflateSync(text), { "content-type": "text/html;charset=UTF-8", "content-encoding": "deflate" }],
    "/latin": [Buffer.from(text, "latin1"), { "content-type": "text/html; charset=iso-8859-1" }],
    "/meta": [Buffer.from(`<meta charset="latin1">${text}`, "latin1"), { "content-type": "text/html" }],
    "/none": [Buffer.from(text, "latin1"), { "content-type": "text/html" }],
    "/utf16": [Buffer.from(`\ufeff${text}`, "utf16le"), { "content-type": "text/html" }],
  };
  const site = await openSite(t, ({ url }, response) => {
    const [bytes, headers] = kinds[url ?? ""] ?? assert.fail();
    response.writeHead(200, { ...headers, "content-length": bytes.length }).end(bytes);
  });
  const visitor = await enter(under, site.origin);
  for (const path of Object.keys(kinds)) {
    const page = await visitor.get(path, { headers: { "accept-encoding": "gzip, br, zstd" } });
    assert.match(page.body, /<script>.*<p>Grüße<\/p>$/s, path);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.deepEqual([page.headers["content-encoding"], page.headers["content-length"]], [undefined, undefined]);
  }
});

test("Brotli, whose window takes 16 MB, is for parts of a page only: a page in it is refused", async (t) => {
  const under = await openUnderTest(t);
  const packed = brotliCompressSync("<p>Grüße</p>");
  const site = await openSite(t, (_request, response) =>
    response.writeHead(200, { "content-type": "text/html", "content-encoding": "br" }).end(packed),
  );
  const visitor = await enter(under, site.origin);
  const headers = { "accept-encoding": "gzip, br, zstd" };
  assert.equal((await visitor.get("/page", { headers })).status, 502);
  const part = await visitor.get("/part", { headers, isPage: false });
  assert.deepEqual([part.status, part.headers["content-encoding"]], [200, "br"]);
  const offered = site.seen.map((seen) => seen.headers["accept-encoding"]);
  assert.deepEqual(offered, ["gzip", "gzip, br"]);
});

test("a page in an unknown compression cannot be read, and packed bytes that unpack to nothing are cut off", async (t) => {
  const under = await openUnderTest(t, { limits: { maxPageBytes: 100_000 } });
  const nothing = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync("")));
  const site = await openSite(t, ({ url = "" }, response) => {
    const encoding = decodeURIComponent(url.slice(1));
    response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding });
    if (encoding !== "gzip") return void response.end("x");
    const sendOn = () => !response.destroyed && response.write(nothing, sendOn);
    sendOn();
  });
  const visitor = await enter(under, site.origin);
  for (const encoding of ["zip", "constructor", "__proto__", "toString", "gzip, gzip"]) {
    const { status, body } = await visitor.get(`/${encodeURIComponent(encoding)}`);
    assert.deepEqual([status, /cannot be read/.test(body)], [502, true], encoding);
  }
  const { status, body } = await visitor.get("/gzip");
  assert.deepEqual([status, /too large/.test(body)], [502, true]);
});

test("what is not a page is passed on unchanged: bytes, compression, ranges, and HTML that a script reads", async (t) => {
  const under = await openUnderTest(t);
  const packed = gzipSync("export const a = 1;");
  const site = await openSite(t, ({ url, headers }, response) => {
    if (url === "/fragment")
      return html(response, "<b>part</b>", { etag: '"1"', "cache-control": "public, max-age=60" });
    if (url === "/film") {
      response
        .writeHead(206, { "content-type": "video/mp4", "content-range": "bytes 0-3/9", "x-range": headers.range })
        .end("abcd");
      return;
    }
    response.writeHead(200, { "content-type": "text/javascript", "content-encoding": "gzip" }).end(packed);
  });
  const visitor = await enter(under, site.origin);
  const script = await visitor.get("/a.js", { isPage: false, headers: { "accept-encoding": "gzip" } });
  assertSameBytes(script.bytes, packed);
  const fragment = await visitor.get("/fragment", { isPage: false, headers: { "sec-fetch-dest": "empty" } });
  assert.equal(fragment.body, "<b>part</b>");
  assert.deepEqual([fragment.headers.etag, fragment.headers["cache-control"]], ['"1"', "private, max-age=60"]);
  const film = await visitor.get("/film", {
    isPage: false,
    headers: { range: "bytes=0-3", "sec-fetch-dest": "video" },
  });
  assert.deepEqual([film.status, film.headers["x-range"], film.body], [206, "bytes=0-3", "abcd"]);
});

test("service workers do not run: their script is refused", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.end("self.onfetch=()=>{}"));
  const visitor = await enter(under, site.origin);
  const answer = await visitor.get("/sw.js", { isPage: false, headers: { "service-worker": "script" } });
  assert.equal(answer.status, 403);
  assert.equal(site.seen.length, 0);
});

test("headers that are not ASCII are passed on byte for byte; so are unusual status codes", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, ({ url }, response) => {
    const name = Buffer.from("Grüße 😀").toString("latin1");
    const headers = { "x-name": name, "set-cookie": `a=${name}`, "content-type": "text/plain" };
    if (url === "/to") return void response.writeHead(302, { location: `/${name}` }).end();
    response.writeHead(url === "/odd" ? 799 : 200, headers).end("ok");
  });
  const visitor = await enter(under, site.origin);
  for (const [path, status] of [
    ["/", 200],
    ["/odd", 799],
  ] as const) {
    const answer = await visitor.get(path, { isPage: false });
    assert.equal(answer.status, status);
    assert.equal(Buffer.from(String(answer.headers["x-name"]), "latin1").toString(), "Grüße 😀");
  }
  assert.equal((await visitor.get("/to")).headers.location, encodeURI("/Grüße 😀"));
});
