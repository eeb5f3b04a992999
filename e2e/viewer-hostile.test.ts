import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { PAGE_PATH, type Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import sharp from "sharp";
import { readServerFile } from "../packages/viewer/src/pastes/storage/server-file.ts";
import { someOf } from "../scripts/testing/long.ts";
import { hostilePictures, unsupportedFiles } from "./support/hostile-pictures.ts";
import { underLoad } from "./support/load.ts";
import { until } from "./support/processes.ts";
import { type RunningViewer, startViewer } from "./support/viewer.ts";
import { ask, askWithBytes, openSocket, type RawAnswer, readSocket } from "./support/viewer-raw.ts";

/** Memory growth allowed for all attacks together, after good images have warmed up the process. */
const MAX_GROWTH_MB = 150;
/** From the first byte to the response, for any image, on a busy machine. */
const REFUSED_WITHIN_MS = 20_000;
/** A good upload during an attack normally takes a fraction of a second. */
const BYSTANDER_MS = 10_000;
const MEGABYTE = 1024 * 1024;

let viewer: RunningViewer;
let token: string;
let good: Buffer;
let keptFiles: string[];
let peakMb: number;

/** Peak resident memory. */
const residentPeakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

const post = (body: Uint8Array | string, headers: Record<string, string> = {}) =>
  ask(viewer.port, {
    method: "POST",
    headers: { "x-viewer-token": token, "content-type": "image/png", ...headers },
    body,
  });

const verdict = ({ status, code }: Pick<RawAnswer, "status" | "code">) => [status, code];

/** The head of an upload request. */
const head = (lines: readonly string[] = [], type = "image/png"): string =>
  [
    `POST ${PAGE_PATH} HTTP/1.1`,
    `Host: localhost:${viewer.port}`,
    `X-Viewer-Token: ${token}`,
    `Content-Type: ${type}`,
    ...lines,
    "",
    "",
  ].join("\r\n");

async function raw(text: string | Uint8Array) {
  return verdict(await readSocket(await openSocket(viewer.port, text)));
}

async function expectGoodPaste(): Promise<void> {
  const startedMs = performance.now();
  const answer = await post(good);
  assert.equal(answer.status, 201, answer.text);
  assert.ok(performance.now() - startedMs < underLoad(BYSTANDER_MS), `${performance.now() - startedMs} ms`);
  await removePaste((JSON.parse(answer.text) as Paste).id);
}

async function removePaste(id: string): Promise<void> {
  const headers = { "x-viewer-token": token };
  assert.equal((await ask(viewer.port, { method: "DELETE", path: `${PAGE_PATH}/${id}`, headers })).status, 204);
}

/** Without the temporary files of images that are being compressed. */
const uploadsLeft = () => viewer.incoming().filter((name) => name.includes(".upload"));

async function expectNothingLeft(): Promise<void> {
  await until(() => uploadsLeft().length === 0, "no upload is left");
  assert.deepEqual(viewer.files(), keptFiles);
}

before(async () => {
  viewer = await startViewer({ LOG_LEVEL: "trace" });
  token = await viewer.token();
  good = await sharp({ create: { width: 320, height: 200, channels: 3, background: "#2b6" } })
    .png()
    .toBuffer();
  // Warm up with good images of several formats and sizes, without text.
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 4, background: "#fa5" } });
  const unpacked = plain(1_500, 1_500).png({ compressionLevel: 0 });
  for (const picture of [unpacked, plain(2_880, 1_800).jpeg(), plain(3_000, 2_000).png(), plain(4_000, 900).webp()]) {
    const answer = await post(await picture.toBuffer());
    assert.equal(answer.status, 201, answer.text);
  }
  await askWithBytes(viewer.port, { "x-viewer-token": token, "content-type": "image/png" }, 20 * MEGABYTE);
  await until(() => uploadsLeft().length === 0, "the aborted upload is gone");
  keptFiles = viewer.files();
  peakMb = residentPeakMb(viewer.pid);
});
after(() => viewer?.[Symbol.asyncDispose]());

test("decompression bombs, false headers and truncated files: each gets the right error within seconds, and leaves nothing", async (t) => {
  for (const [what, bytes, outcome] of someOf(await hostilePictures(), 2)) {
    const startedMs = performance.now();
    const answer = await post(bytes);
    const tookMs = performance.now() - startedMs;
    assert.equal(answer.code ?? "kept", outcome, `${what}: ${answer.text}`);
    assert.equal(answer.status, outcome === "kept" ? 201 : outcome === "image-too-large" ? 413 : 422, what);
    assert.ok(tookMs < underLoad(REFUSED_WITHIN_MS), `${what}: ${tookMs} ms`);
    if (outcome === "kept") await removePaste((JSON.parse(answer.text) as Paste).id);
    else assert.deepEqual([uploadsLeft(), viewer.files()], [[], keptFiles], what);
  }
  t.diagnostic(`memory +${(residentPeakMb(viewer.pid) - peakMb).toFixed(0)} MB`);
  await expectGoodPaste();
  await expectNothingLeft();
});

test("more than 20 other file types are refused, by content and by declared type", async () => {
  for (const [type, bytes] of unsupportedFiles()) {
    const said = type.startsWith("image/");
    if (!said)
      assert.deepEqual(verdict(await post(bytes, { "content-type": type })), [415, "unsupported-media-type"], type);
    for (const lie of ["image/png", "application/octet-stream", ...(said ? [type] : [])]) {
      assert.deepEqual(verdict(await post(bytes, { "content-type": lie })), [415, "not-an-image"], `${type} as ${lie}`);
    }
  }
  assert.deepEqual(verdict(await post("")), [422, "invalid-input"]);
  assert.deepEqual(verdict(await post("", { "transfer-encoding": "chunked" })), [422, "invalid-input"]);
  await expectNothingLeft();
});

test("100 MB are refused at once by their declared length, or while they stream", async () => {
  const headers = { "x-viewer-token": token, "content-type": "image/png" };
  const tooLarge = [413, "payload-too-large"];
  const length = { "content-length": String(100 * MEGABYTE) };
  assert.deepEqual(await raw(head([`Content-Length: ${100 * MEGABYTE}`])), tooLarge, "before a byte was sent");
  assert.deepEqual(verdict(await askWithBytes(viewer.port, { ...headers, ...length }, 100 * MEGABYTE)), tooLarge);
  const chunked = { ...headers, "transfer-encoding": "chunked" };
  assert.deepEqual(verdict(await askWithBytes(viewer.port, chunked, 100 * MEGABYTE)), tooLarge);
  assert.deepEqual(await raw(head([`Content-Length: ${VIEWER_LIMITS.maxUploadBytes + 1}`])), tooLarge);
  await expectNothingLeft();
  await expectGoodPaste();
});

test("slow bodies: a good upload still works; beyond the limit it gets 429; closed connections free their slots", async () => {
  const slow = await Promise.all(
    Array.from({ length: VIEWER_LIMITS.maxUploadsUnderWay - 4 }, (_, place) =>
      openSocket(viewer.port, head([place % 2 ? "Content-Length: 100000" : "Transfer-Encoding: chunked"])),
    ),
  );
  const drip = setInterval(() => {
    for (const [place, socket] of slow.entries()) socket.write(place % 2 ? "x" : "1\r\nx\r\n");
  }, 50);
  try {
    await until(() => uploadsLeft().length === slow.length, "all uploads have started");
    for (let times = 0; times < 5; times += 1) await expectGoodPaste();
    for (let more = 0; more < 4; more += 1) slow.push(await openSocket(viewer.port, head(["Content-Length: 100000"])));
    await until(() => uploadsLeft().length === slow.length, "all slots are taken");
    const answer = await post(good);
    assert.deepEqual([...verdict(answer), answer.headers["retry-after"]], [429, "too-many-requests", "1"]);
  } finally {
    clearInterval(drip);
    for (const socket of slow) socket.destroy();
  }
  await expectNothingLeft();
  await expectGoodPaste();
});

test("headers without a body and headers that never end time out with 408; other requests still work", async () => {
  const silent = await openSocket(viewer.port, head(["Content-Length: 1000"]));
  const chunked = await openSocket(viewer.port, `${head(["Transfer-Encoding: chunked"])}5\r\nab`);
  const endless = await openSocket(viewer.port, head().slice(0, 60));
  await expectGoodPaste();
  for (const socket of [silent, chunked, endless]) {
    assert.deepEqual(verdict(await readSocket(socket)), [408, "request-timeout"]);
  }
  await expectNothingLeft();
});

test("200 idle connections and 200 uploads that are not images: each upload is answered, and so is a good one", async () => {
  const idle = await Promise.all(Array.from({ length: 200 }, () => openSocket(viewer.port, "")));
  const uploads = Promise.all(Array.from({ length: 200 }, () => post("not a picture at all")));
  for (const { status, code } of await uploads) {
    assert.ok((status === 415 && code === "not-an-image") || (status === 429 && code === "too-many-requests"), code);
  }
  await expectGoodPaste();
  for (const socket of idle) socket.destroy();
  await expectNothingLeft();
});

test("false lengths and contradictory headers: 400 or cut off, and nothing is kept", async () => {
  const bad = [400, "malformed-request"];
  for (const lines of [
    ["Content-Length: -1"],
    ["Content-Length: 1e3"],
    ["Content-Length: 5", "Content-Length: 6"],
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip, nonsense"],
  ]) {
    assert.deepEqual(await raw(`${head(lines)}hello`), bad, lines.join());
  }
  assert.deepEqual(await raw(`${head(["Transfer-Encoding: chunked"])}zz\r\nhello`), bad);
  assert.deepEqual(await raw(`${head(["Transfer-Encoding: chunked"])}fffffffffffffffff\r\nhello`), bad);
  // The remaining bytes are parsed as the next request, which is malformed.
  const shorter = await readSocket(
    await openSocket(viewer.port, Buffer.concat([Buffer.from(head(["Content-Length: 20"])), good])),
    () => false,
  );
  assert.match(shorter.text, /HTTP\/1\.1 400[\s\S]*"code":"malformed-request"/);
  assert.doesNotMatch(shorter.text, /HTTP\/1\.1 201/);
  for (const end of [100, 0]) {
    const longer = await openSocket(viewer.port, head([`Content-Length: ${good.length + 100}`]));
    longer.write(good.subarray(0, good.length - end));
    await until(() => uploadsLeft().length === 1, "the upload has started");
    longer.destroy();
    await until(() => uploadsLeft().length === 0, "the upload is gone");
  }
  await expectNothingLeft();
});

test("invalid forms get a specific error, and leave nothing", async () => {
  const part = (disposition: string, value: string | Buffer = "x") =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: ${disposition}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from("\r\n"),
    ]);
  const image = part('form-data; name="image"; filename="../../a.png"', good);
  const end = Buffer.from("--b--\r\n");
  const form = (...parts: Buffer[]) => Buffer.concat([...parts, end]);
  const rows: [what: string, body: Buffer, status: number, code: string, type?: string][] = [
    ["no boundary", form(image), 400, "malformed-request", "multipart/form-data"],
    ["another boundary", form(image), 400, "malformed-request", "multipart/form-data; boundary=c"],
    ["no end", image, 400, "malformed-request"],
    ["no parts", end, 422, "invalid-input"],
    ["only text", Buffer.from("hello"), 400, "malformed-request"],
    [
      "100 parts",
      form(...Array.from({ length: 100 }, (_, at) => part(`form-data; name="p${at}"`))),
      413,
      "payload-too-large",
    ],
    ["two images", form(image, image), 422, "invalid-input"],
    ["the image under a wrong name", form(part('form-data; name="file"; filename="a"', good)), 422, "invalid-input"],
    ["text as the image", form(part('form-data; name="image"', "words")), 415, "not-an-image"],
    ["an empty image", form(part('form-data; name="image"; filename="a"', "")), 422, "invalid-input"],
    ["a title of 1 MB", form(image, part('form-data; name="title"', "x".repeat(MEGABYTE))), 422, "invalid-input"],
    ["__proto__", form(image, part('form-data; name="__proto__"')), 400, "malformed-request"],
    ["a form in a form", form(part('form-data; name="image"; filename="a"', form(image))), 400, "malformed-request"],
    ["headers of 1 MB", form(part(`form-data; name="${"x".repeat(MEGABYTE)}"`)), 422, "invalid-input"],
  ];
  for (const [what, body, status, code, type = "multipart/form-data; boundary=b"] of rows) {
    assert.deepEqual(verdict(await post(body, { "content-type": type })), [status, code], what);
  }
  const kept = await post(form(image), { "content-type": "multipart/form-data; boundary=b" });
  assert.equal(kept.status, 201, "a valid form is kept");
  await removePaste((JSON.parse(kept.text) as Paste).id);
  await expectNothingLeft();
});

test("after all attacks the same process is alive, has not grown, and has logged no token", async (t) => {
  const grownMb = residentPeakMb(viewer.pid) - peakMb;
  t.diagnostic(`memory: ${peakMb.toFixed(0)} MB before, +${grownMb.toFixed(0)} MB at most`);
  assert.ok(grownMb < MAX_GROWTH_MB, `${grownMb} MB`);
  const server = await readServerFile(viewer.project);
  assert.equal(server?.pid, viewer.pid);
  const output = viewer.output();
  assert.ok(output.split('"answered"').length > 200, "the requests were logged");
  assert.doesNotMatch(output, /"level":"?(?:error|fatal|50|60)/);
  assert.ok(!output.includes(token) && !output.includes(server?.secret ?? ""));
  await expectGoodPaste();
});
