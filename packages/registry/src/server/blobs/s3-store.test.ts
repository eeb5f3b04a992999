import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
// @ts-expect-error It has no types.
import s3rver from "s3rver";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { blobStoreLaws, bytesOf, fileOf, keysOf } from "./blob-store.suite.ts";
import type { S3Limits } from "./s3-calls.ts";
import { S3_KEYS, signatureOf, startS3 } from "./s3-server.suite.ts";
import { openS3Store } from "./s3-store.ts";

async function open(t: TestContext, limits: Partial<S3Limits> = {}) {
  const s3 = await startS3();
  t.after(() => s3.stop());
  return { s3, store: openS3Store({ ...s3.settings, fetch, limits: { firstPauseMs: 1, ...limits } }) };
}

blobStoreLaws("s3", async (t) => (await open(t)).store);

test("the server under test checks signatures as Amazon's documented example signs", () => {
  const signature = signatureOf({
    region: "us-east-1",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    method: "GET",
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    headers: {
      host: "examplebucket.s3.amazonaws.com",
      range: "bytes=0-9",
      "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date": "20130524T000000Z",
    },
  });
  assert.equal(signature, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
});

test("blobs are below the prefix, and those of other prefixes are not seen", async (t) => {
  const { s3, store } = await open(t);
  s3.objects.set("back/other", { bytes: Buffer.from("x"), modifiedMs: 0 });
  await store.put("a/b", Buffer.from("x"));
  assert.deepEqual([...s3.objects.keys()], ["back/other", "back/plane/a/b"]);
  assert.deepEqual(await keysOf(store, ""), ["a/b"]);
});

test("an interrupted put leaves nothing", async (t) => {
  const { s3, store } = await open(t, { attempts: 1 });
  const file = await fileOf(t, randomBytes(4_000_000));
  s3.front.answer = (request) => {
    request.once("data", () => request.socket.destroy());
    return true;
  };
  await assert.rejects(store.putFile("a", file), { code: "archives-unavailable" });
  delete s3.front.answer;
  assert.equal(await store.read("a"), undefined);
});

test("bytes that were changed on the way are refused by the store", async (t) => {
  const { s3 } = await open(t);
  const changing: typeof fetch = async (input, init) => {
    const request = input as Request;
    const isPut = request.method === "PUT";
    return fetch(isPut ? new Request(request, { body: Buffer.from("other") }) : request, init);
  };
  const store = openS3Store({ ...s3.settings, fetch: changing });
  await assert.rejects(store.put("a", Buffer.from("bytes")), { code: "archives-unavailable" });
  assert.equal(s3.objects.size, 0);
});

test("a busy store and a broken connection are retried, but not forever", async (t) => {
  const { s3, store } = await open(t);
  let calls = 0;
  s3.front.answer = (request, response) => {
    calls += 1;
    if (calls === 1) response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
    else if (calls === 2) request.socket.destroy();
    return calls <= 2;
  };
  await store.put("a", Buffer.from("x"));
  assert.equal(calls, 3);
  calls = 0;
  s3.front.answer = (_request, response) => {
    calls += 1;
    response.writeHead(503).end();
    return true;
  };
  await assert.rejects(store.read("a"), { code: "archives-unavailable" });
  assert.equal(calls, 3);
});

test("a store that accepts but does not answer is given up on in time", async (t) => {
  const { s3, store } = await open(t, { answerWithinMs: 200 });
  s3.front.answer = () => true;
  await assert.rejects(store.ping(), { code: "archives-unavailable" });
  await assert.rejects(store.put("a", Buffer.from("x")), { code: "archives-unavailable" });
});

test("a body that stops, or ends too early, is a fault of its stream", async (t) => {
  const { s3, store } = await open(t, { idleMs: 200 });
  s3.front.answer = (_request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("some");
    return true;
  };
  const stops = await store.read("a");
  await assert.rejects(async () => stops && buffer(stops.stream), { code: "archives-unavailable" });
  s3.front.answer = (request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("some", () => request.socket.destroy());
    return true;
  };
  const ends = await store.read("a");
  await assert.rejects(async () => ends && buffer(ends.stream), { code: "archives-unavailable" });
});

test("an answer that is far too long, or a list that does not end, is a fault and not read on", async (t) => {
  const { s3, store } = await open(t, { maxTextBytes: 100_000, attempts: 1 });
  const piece = Buffer.alloc(50_000, "<x>");
  let sent = 0;
  for (const status of [200, 403, 404, 500]) {
    s3.front.answer = (_request, response) => {
      response.writeHead(status);
      const write = (): void => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
      };
      response.on("drain", write).on("error", () => {});
      write();
      return true;
    };
    await assert.rejects(keysOf(store, ""), { code: "archives-unavailable" }, `a list with ${status}`);
    if (status !== 200) await assert.rejects(store.read("a"), { code: "archives-unavailable" }, `${status}`);
  }
  let pages = 0;
  s3.front.answer = (_request, response) => {
    pages += 1;
    response.end(
      "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken><Contents><Key>&#x99999999;</Key></Contents>",
    );
    return true;
  };
  await assert.rejects(keysOf(store, ""), { code: "archives-unavailable" });
  assert.equal(pages, 2);
  // Nobody reads on: each connection took what fits into the buffers of the system, not gigabytes.
  assert.ok(sent < 8 * 64 * 1024 * 1024);
});

test("no error contains the secret, the key or what was signed", async (t) => {
  const { s3 } = await open(t);
  const wrong = { ...s3.settings, secretAccessKey: "wr0ngwr0ngwr0ng", fetch, limits: { firstPauseMs: 1 } };
  const stores = [
    openS3Store(wrong),
    openS3Store({ ...wrong, bucket: "other" }),
    openS3Store({ ...wrong, endpoint: "http://127.0.0.1:1" }),
    openS3Store({ ...wrong, endpoint: s3.settings.endpoint.replace("//", "//user:s3same@") }),
  ];
  for (const store of stores) {
    const calls = [store.ping, () => store.read("a"), () => store.put("a", Buffer.from("x")), () => store.remove("a")];
    for (const call of calls) {
      const fault = await call().then(
        () => assert.fail("it is refused"),
        (error: unknown) => error,
      );
      assert.equal((fault as { code: string }).code, "archives-unavailable");
      assert.doesNotMatch(inspect(fault, { depth: 9 }), /wr0ng|s3same|AKTEST|Signature=/);
    }
  }
});

test("a missing bucket is an outage, not a missing blob", async (t) => {
  const { s3 } = await open(t);
  const store = openS3Store({ ...s3.settings, bucket: "none", fetch });
  await assert.rejects(store.ping(), { code: "archives-unavailable" });
  await assert.rejects(store.read("a"), { code: "archives-unavailable" });
  await assert.rejects(store.remove("a"), { code: "archives-unavailable" });
  await assert.rejects(async () => keysOf(store, ""), { code: "archives-unavailable" });
});

/** It has no types. Of signatures it checks only the shape, and its listings break off where a second page begins. */
type Stranger = { run(): Promise<AddressInfo>; close(): Promise<void>; httpServer: { closeAllConnections(): void } };
const S3rver: new (options: object) => Stranger = s3rver;

test("another S3 server gives the same answers", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "s3rver-"));
  const options = { address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: [{ name: "packages" }] };
  const stranger = new S3rver(options);
  const { port } = await stranger.run();
  t.after(async () => {
    stranger.httpServer.closeAllConnections();
    await stranger.close();
    await rm(directory, { recursive: true });
  });
  const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: S3_KEYS.region };
  const store = openS3Store({
    endpoint: `http://127.0.0.1:${port}/`,
    bucket: "packages",
    prefix: "x/",
    ...keys,
    fetch,
  });
  await store.ping();
  const bytes = randomBytes(1_000_000);
  await store.putFile("archives/a/1.zip", await fileOf(t, bytes));
  await store.put("archives/b", Buffer.from("0123456789"));
  assertSameBytes((await bytesOf(store, "archives/a/1.zip")) ?? Buffer.alloc(0), bytes);
  assert.equal((await bytesOf(store, "archives/b", { start: 3, end: 5 }))?.toString(), "345");
  await assert.rejects(store.read("archives/b", { start: 10, end: 12 }), { code: "range-not-satisfiable" });
  assert.equal(await store.read("archives/c"), undefined);
  assert.deepEqual(await keysOf(store, "archives/"), ["archives/a/1.zip", "archives/b"]);
  await store.ping();
  await store.remove("archives/b");
  await store.remove("archives/b");
  assert.deepEqual(await keysOf(store, "archives/"), ["archives/a/1.zip"]);
});
