import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { type OpenTestDatabase, startOne } from "./registry-under-test.suite.ts";

const WITHIN_MS = 120_000;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + WITHIN_MS;
  while (!(await holds())) {
    if (Date.now() > endMs) assert.fail(`not in time: ${what}`);
    await sleep(5);
  }
}

/** The beginning of an upload; the test sends the body. */
function begin(t: TestContext, port: number, person: string, headers: string, query = ""): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.setEncoding("utf8");
  socket.write(
    `POST /registry/packages${query} HTTP/1.1\r\nHost: x\r\nContent-Type: application/zip\r\n` +
      `Authorization: Bearer token-${person}\r\n${headers}\r\n\r\n`,
  );
  return socket;
}

/** Uploads that do not arrive as they should. */
export function testUploads(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: an incomplete upload leaves nothing`, async (t) => {
    const site = await startOne(t, open);
    const archive = sampleArchive({ files: { "plugins/large": randomBytes(900_000) } });
    for (const headers of [`Content-Length: ${archive.length}`, "Transfer-Encoding: chunked"]) {
      const socket = begin(t, site.port, "ada", headers);
      const half = archive.subarray(0, archive.length / 2);
      if (headers.startsWith("T")) socket.write(`${half.length.toString(16)}\r\n`);
      socket.write(half);
      await until("it is being received", async () => (await site.leftUploads()).length === 1);
      socket.destroy();
      await until("it is gone", async () => (await site.leftUploads()).length === 0);
    }
    assert.deepEqual(await site.listed(), []);
    assert.deepEqual(await site.blobKeys(), []);
    assert.equal((await site.state()).revision, 0);
    assert.equal(site.changes.count, 0);
    assert.equal((await site.post("ada", sampleArchive())).status, 201);
    assert.doesNotMatch(site.lines.join(""), /"level":"error"/);
  });

  test(`${engine}: a length over the limit is 413 at once, before a byte of the body`, async (t) => {
    const site = await startOne(t, open);
    const socket = begin(t, site.port, "ada", `Content-Length: ${ARCHIVE_LIMITS.maxBytes + 1}`);
    const [answer] = await once(socket, "data");
    assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"An archive has at most 256 MB\."[\s\S]*"code":"payload-too-large"/);
    assert.deepEqual(await site.leftUploads(), []);
  });

  test(`${engine}: a body that turns out to exceed the limit is 413, and a sender who continues is cut off`, async (t) => {
    const http = { lingerMs: 200, timeoutCheckMs: 20 };
    const site = await startOne(t, open, { http, limits: { maxArchiveBytes: 1024 * 1024 } });
    const socket = begin(t, site.port, "ada", "Transfer-Encoding: chunked");
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const sending = setInterval(() => socket.write(chunk), 2);
    t.after(() => clearInterval(sending));
    const [answer] = await once(socket, "data");
    assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"code":"payload-too-large"/);
    assert.deepEqual(await site.leftUploads(), []);
    await new Promise((resolve) => socket.once("close", resolve));
  });

  test(`${engine}: a client that sends everything and then reads gets the answer and may continue`, async (t) => {
    const site = await startOne(t, open, { limits: { maxArchiveBytes: 1_000 } });
    const socket = begin(t, site.port, "ada", "Transfer-Encoding: chunked");
    for (let n = 0; n < 50; n += 1) socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
    socket.write("0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.match(await text(socket), /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 OK/);
  });

  test(`${engine}: a slow upload may take longer than other calls, a silent one is cut off`, async (t) => {
    const http = { requestTimeoutMs: 50, timeoutCheckMs: 10 };
    const site = await startOne(t, open, { http, limits: { uploadIdleMs: 2_000 } });
    const archive = sampleArchive();
    const slow = begin(t, site.port, "ada", `Content-Length: ${archive.length}`);
    slow.write(archive.subarray(0, 100));
    await until("it is being received", async () => (await site.leftUploads()).length === 1);
    // Longer than the server's own limit, shorter than the allowed silence.
    await sleep(300);
    slow.write(archive.subarray(100));
    assert.match((await once(slow, "data"))[0], /^HTTP\/1\.1 201 /);

    const silent = begin(t, site.port, "ada", "Content-Length: 1000");
    silent.write("PK");
    assert.match((await once(silent, "data"))[0], /^HTTP\/1\.1 408 [\s\S]*"code":"request-timeout"/);
    await until("it is gone", async () => (await site.leftUploads()).length === 0);
  });

  test(`${engine}: an upload is not published if its sender's session or membership ends before the last byte`, async (t) => {
    const site = await startOne(t, open);
    const archive = sampleArchive();
    for (const [query, end, refusal] of [
      ["", () => site.signedOut.add("ada"), /^HTTP\/1\.1 401 [\s\S]*"code":"not-signed-in"/],
      ["?owner=lab", () => site.haveLeft.add("bob"), /^HTTP\/1\.1 403 [\s\S]*"code":"owner-only"/],
    ] as const) {
      const socket = begin(t, site.port, query ? "bob" : "ada", `Content-Length: ${archive.length}`, query);
      socket.write(archive.subarray(0, -1));
      await until("it is being received", async () => (await site.leftUploads()).length === 1);
      end();
      socket.write(archive.subarray(-1));
      assert.match((await once(socket, "data"))[0], refusal);
    }
    assert.deepEqual([await site.listed(), await site.blobKeys(), await site.leftUploads()], [[], [], []]);
  });

  test(`${engine}: an aborted upload frees its slot, per user and in total`, async (t) => {
    const limits = { maxUploads: 3, maxUploadsPerUser: 2 };
    const site = await startOne(t, open, { limits });
    const wait = async (count: number) =>
      until(`${count} are received`, async () => (await site.leftUploads()).length === count);
    const start = (person: string) => {
      const socket = begin(t, site.port, person, "Content-Length: 1000");
      socket.write("PK");
      return socket;
    };
    const sockets = [start("ada"), start("ada")];
    await wait(2);
    const refused = await site.post("ada", sampleArchive());
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
    assert.equal((await site.post("bob", sampleArchive())).status, 201);
    sockets.push(start("eve"));
    await wait(3);
    assert.equal((await site.post("kim", sampleArchive({ identifier: "org.example.kim" }))).status, 429);
    for (const socket of sockets) socket.destroy();
    await wait(0);
    assert.equal((await site.post("ada", sampleArchive({ identifier: "org.example.ada" }))).status, 201);
  });
}
