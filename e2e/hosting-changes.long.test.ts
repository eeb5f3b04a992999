// What the shipped nginx does with a request whose platform dies, or is down.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { FOREVER, PUBLIC_HEADERS, typeOf } from "../packages/registry/src/server/serving/answer-file.ts";
import { freePort } from "../scripts/services/index.ts";
import { startFront } from "./cluster/nginx.ts";

type Seen = { by: string; url: string; method: string; body: string; headers: NodeJS.Dict<string | string[]> };

/** nginx leaves a platform out for a second when it failed. */
const LEFT_OUT_MS = 1_100;
/** A host name that the platform refuses. */
const UNKNOWN = "elsewhere.example.org";
const LARGE = "x".repeat(300_000);

/** What a platform sends with a list that repository.json names. */
const platformHeaders = {
  "content-type": typeOf("packages.json"),
  "cache-control": FOREVER,
  vary: "accept-encoding",
  ...Object.fromEntries(PUBLIC_HEADERS.flatMap((name, at) => (at % 2 === 0 ? [[name, PUBLIC_HEADERS[at + 1]]] : []))),
};

/** With any host, and with the bytes as they are sent. */
async function answerOf(url: string, options: RequestOptions) {
  const [answer] = (await once(request(url, options).end(), "response")) as [IncomingMessage];
  const bytes = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

suite("nginx, before a platform that dies and one that answers", { concurrency: 1 }, () => {
  const running = new AsyncDisposableStack();
  const seen: Seen[] = [];
  let dies: Server;
  let front: Awaited<ReturnType<typeof startFront>>;

  before(async () => {
    const [port, gatewayPort, ...platforms] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
    const [diesAt = 0, answersAt = 0] = platforms;
    dies = await listen("dies", diesAt, (response) => response.socket?.destroy());
    await listen("answers", answersAt, (response) => {
      if (response.req.headers.host === UNKNOWN) response.writeHead(421);
      else if (response.req.url?.startsWith("/registry/indexes/"))
        response.writeHead(200, { "cache-control": "public, max-age=60", etag: '"a"', vary: "accept-encoding" });
      response.end(response.req.headers["accept-encoding"]);
    });
    front = running.use(
      await startFront({ port: port ?? 0, gatewayPort: gatewayPort ?? 0, platforms, gateways: platforms }),
    );
  });
  after(() => running.disposeAsync());

  async function listen(by: string, port: number, answer: (response: ServerResponse) => void): Promise<Server> {
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push({ ...{ by, body }, url: request.url ?? "", method: request.method ?? "", headers: request.headers });
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    running.defer(() => void server.close());
    return server;
  }

  /** Sends it, and says who saw it. */
  async function send(method: string, body?: string) {
    const url = `/files/${randomUUID()}?a=%2F`;
    const headers = { "x-forwarded-for": "192.0.2.7", "x-backplane-method": "GET" };
    const { status } = await fetch(`${front.url}${url}`, { method, headers, ...(body ? { body } : {}) });
    return { status, seen: seen.filter((each) => each.url === url) };
  }

  for (const [method, body] of [
    ["GET", undefined],
    ["POST", "small"],
    ["PATCH", "small"],
    ["PUT", "small"],
    ["PUT", LARGE],
    ["DELETE", undefined],
    ["DELETE", "small"],
  ] as const) {
    const isRead = method === "GET";
    const size = body === undefined ? "without a body" : `with ${body.length} bytes`;
    test(`${method} ${size}: ${isRead ? "the next one answers" : "one platform sees it, once"}`, async () => {
      for (let isMet = false; !isMet; await wait(LEFT_OUT_MS)) {
        const sent = await send(method, body);
        isMet = sent.seen[0]?.by === "dies";
        assert.deepEqual([sent.status, sent.seen.length], isMet ? (isRead ? [200, 2] : [502, 1]) : [200, 1]);
        for (const each of sent.seen) {
          assert.deepEqual([each.method, each.body], [method, body ?? ""]);
          assert.equal(each.headers["x-forwarded-for"], "192.0.2.7, 127.0.0.1");
          assert.equal(each.headers["x-forwarded-proto"], "http");
          assert.equal(each.headers.host, new URL(front.url).host);
        }
      }
    });
  }

  test("a list of packages is asked for once with gzip and once without, however the callers write it", async () => {
    const url = "/registry/indexes/one/packages.json";
    const get = (headers: Record<string, string>) => fetch(`${front.url}${url}`, { headers });
    for (const [asked, sent] of [
      ["gzip", "gzip"],
      ["gzip, deflate, br", "gzip"],
      ["gzip;q=1.0, *;q=0.5", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["identity", ""],
      ["br", ""],
      ["gzipped, br", ""],
    ] as const)
      assert.equal(await (await get({ "accept-encoding": asked })).text(), sent, asked);
    assert.equal((await get({ "accept-encoding": "gzip", "if-none-match": '"a"' })).status, 304);
    const answered = seen.filter((each) => each.by === "answers" && each.url === url);
    assert.deepEqual(answered.map(({ headers }) => headers["accept-encoding"] ?? "").sort(), ["", "gzip"]);
    assert.equal(answered[0]?.headers["x-forwarded-for"], "127.0.0.1");
  });

  test("a list in INDEXES_FOLDER is sent by nginx, with the platform's headers, also when it is known; nothing else is", async () => {
    const at = `/registry/indexes/${"a".repeat(64)}`;
    const folder = join(front.folder, "indexes", "a".repeat(64));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "packages.json"), LARGE);
    writeFileSync(join(folder, "packages.json.gz"), gzipSync(LARGE));
    writeFileSync(join(folder, "resources.zip"), "zip");
    const ask = (headers: OutgoingHttpHeaders, { method = "GET", path = `${at}/packages.json` } = {}) =>
      answerOf(`${front.url}${path}`, { method, headers: { "accept-encoding": "identity", ...headers } });

    const tags = new Set<string>();
    for (const [accept, encoding] of [
      ["gzip, deflate, br", "gzip"],
      ["br", undefined],
      ["gzip;q=0", undefined],
    ] as const) {
      const answer = await ask({ "accept-encoding": accept, via: "1.1 somebody" });
      assert.equal(answer.status, 200);
      assert.equal(encoding ? gunzipSync(answer.bytes).toString() : answer.bytes.toString(), LARGE);
      assert.equal(answer.headers["content-encoding"], encoding);
      for (const [name, value] of Object.entries(platformHeaders))
        assert.equal(answer.headers[name]?.toString().toLowerCase(), value, name);
      const etag = answer.headers.etag ?? "";
      tags.add(etag);
      const known = await ask({ "accept-encoding": accept, "if-none-match": etag });
      assert.deepEqual([known.status, known.bytes.length], [304, 0]);
      assert.equal((await ask({ "accept-encoding": accept, "if-none-match": '"other"' })).status, 200);
    }
    assert.equal(tags.size, 2);
    assert.equal((await ask({}, { method: "HEAD" })).headers["content-length"], String(LARGE.length));
    const zip = await ask({ "accept-encoding": "gzip" }, { path: `${at}/resources.zip` });
    assert.deepEqual([zip.bytes.toString(), zip.headers["content-type"]], ["zip", "application/zip"]);
    const passed = () => seen.filter(({ by, url }) => by === "answers" && url.startsWith(at));
    assert.deepEqual(passed(), []);

    for (const [method, path, host] of [
      ["OPTIONS", "/packages.json", undefined],
      ["POST", "/packages.json", undefined],
      ["GET", "/manifests.json", undefined],
      ["GET", "/", undefined],
      ["GET", "", undefined],
      ["GET", "/packages.json", UNKNOWN],
      ["GET", "/manifests.json", UNKNOWN],
    ] as const) {
      const before = passed().length;
      const answer = await ask(host ? { host } : {}, { method, path: `${at}${path}` });
      assert.equal(answer.status, host ? 421 : 200, `${method} ${path}`);
      assert.deepEqual([passed().length, passed().at(-1)?.method], [before + 1, method], `${method} ${path}`);
    }
  });

  test("lists are kept only under the server's own name, and of the folder only lists are sent", async () => {
    const sha256 = "b".repeat(64);
    const folder = join(front.folder, "indexes");
    const own = new URL(front.url).host;
    const ask = (path: string, host = own) =>
      answerOf(front.url, { path, headers: { host, "accept-encoding": "identity" } });
    mkdirSync(join(folder, sha256), { recursive: true });
    for (const name of ["owner.json", ".hidden", `${sha256}/packages.json.gz`, `${sha256}/packages.json.1-2.tmp`]) {
      writeFileSync(join(folder, name), "of the folder");
      assert.equal((await ask(`/registry/indexes/${name}`)).bytes.toString(), "", name);
    }
    const list = `/registry/indexes/${sha256}/manifests.json`;
    const passed = () => seen.filter(({ by, url }) => by === "answers" && url.endsWith(list)).length;
    for (const [path, host, status] of [
      [`http://one.example.org${list}`, own, 200],
      [`http://one.example.org${list}`, own, 200],
      [list, "one.example.org", 200],
      [`http://127.0.0.1${list}`, "other.example.org", 200],
      [`http://127.0.0.1${list}`, UNKNOWN, 421],
      [list, own, 200],
      [`http://127.0.0.1${list}`, UNKNOWN, 421],
    ] as const) {
      const before = passed();
      assert.equal((await ask(path, host)).status, status, `${path} ${host}`);
      assert.equal(passed(), before + 1, `${path} ${host}`);
    }
    const before = passed();
    for (let count = 0; count < 3; count += 1) assert.equal((await ask(list)).status, 200);
    assert.equal(passed(), before);
  });

  test("nothing else passes through the server for changes", async () => {
    const known = seen.length;
    for (const method of ["GET", "POST", "CONNECT", "PUT, GET", undefined]) {
      const headers = { host: "backplane.example.org", ...(method && { "x-backplane-method": method }) };
      const asked = request({ socketPath: `${front.folder}/changes.sock`, method: "POST", headers }).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      answer.resume();
      assert.equal(answer.statusCode, 405, method);
    }
    assert.equal(seen.length, known);
  });

  test("a platform that is down is passed over, whatever is sent", async () => {
    dies.closeAllConnections();
    await new Promise((resolve) => dies.close(resolve));
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
      await wait(LEFT_OUT_MS);
      for (let count = 0; count < 3; count += 1) {
        const sent = await send(method, method === "GET" ? undefined : LARGE);
        assert.deepEqual([sent.status, sent.seen.map(({ by }) => by)], [200, ["answers"]]);
      }
    }
  });
});
