// Cameras that come by WebRTC: pushed by a browser (WHIP), and from another server (WHEP); by their numbers in the pixels.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import type { PushAccess } from "@backplane/contract/devices";
import type { Locator, Page } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import {
  type CameraBench,
  encoders,
  openCameraBench,
  pictureOf,
  plays,
  streamsOf,
  useCameraBench,
} from "./support/cameras.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { FRAME_MS, inOrder, readNumbers } from "./support/numbered-pictures.ts";
import { until } from "./support/processes.ts";

const REPO = "from-others";

let bench: CameraBench;
let page: Page;

useCameraBench(
  () => openCameraBench(REPO),
  (opened) => {
    bench = opened;
    page = opened.page;
  },
);

async function openPanel(kind: "webrtc-player" | "live-stream", stream?: string): Promise<Locator> {
  const { tabId } = await bench.driver.open(kind, stream === undefined ? {} : { initialState: { stream } });
  await page.reload();
  return slotOf(page, tabId);
}

/** Pushes pictures with their number as the test camera has it, until the page is closed. */
const pushFrom = (from: Page, access: PushAccess): Promise<{ status: number; location: string | null }> =>
  from.evaluate(async ({ address, key }) => {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 640, height: 360 });
    document.body.append(canvas);
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    let number = 0;
    setInterval(() => {
      number += 1;
      context.fillStyle = `hsl(${number % 360} 60% 50%)`;
      context.fillRect(0, 0, 640, 360);
      for (let bit = 0; bit < 16; bit += 1) {
        context.fillStyle = (number >> bit) % 2 === 1 ? "white" : "black";
        context.fillRect(bit * 20, 0, 20, 20);
      }
    }, 1_000 / 30);
    const [track] = canvas.captureStream(30).getVideoTracks();
    if (!track) throw new Error("no track");
    track.contentHint = "text";
    const connection = new RTCPeerConnection();
    const transceiver = connection.addTransceiver(track, { direction: "sendonly" });
    const { codecs = [] } = RTCRtpSender.getCapabilities("video") ?? {};
    transceiver.setCodecPreferences(codecs.filter(({ mimeType }) => /h264/i.test(mimeType)));
    await connection.setLocalDescription();
    const headers = { "content-type": "application/sdp", authorization: `Bearer ${key}` };
    const answer = await fetch(address, { method: "POST", headers, body: connection.localDescription?.sdp ?? "" });
    if (answer.status === 201) await connection.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    Object.assign(globalThis, { connection });
    return { status: answer.status, location: answer.headers.get("location") };
  }, access);

suite("pushed by WHIP", { concurrency: 1 }, () => {
  let slot: Locator;
  let pushing: Page;
  let key = "";
  const address = () => `${bench.workspaces.pages}/api/whip/`;

  test("the panel makes the stream and shows its address and key once", async () => {
    slot = await openPanel("live-stream");
    await slot.getByRole("button", { name: "Add a camera" }).click();
    await slot.getByLabel("Name").fill("studio");
    await slot.getByRole("button", { name: "It pushes here (WHIP)" }).click();
    const made = page.waitForResponse((response) => response.request().method() === "POST");
    await slot.getByRole("button", { name: "Add", exact: true }).click();
    ({ key } = ((await (await made).json()) as { push: PushAccess }).push);
    assert.match(key, /^bpc_/);
    await slot.getByText("Copy the key now").waitFor();
    await pictureOf(slot, "cameras-push");
    await assertLooksRightInEveryLook(page, "cameras-push");
    await slot.getByRole("button", { name: "Show it" }).click();
    await slot.getByText("Nobody sends pictures to this stream now").first().waitFor();
  });

  test("what a browser pushes plays by itself, in order, by WHEP and by HLS", async () => {
    pushing = await bench.browser.newPage();
    await pushing.goto(bench.workspaces.pages);
    const made = await bench.ask("POST", "/streams/studio/key");
    const access = (await made.json()) as PushAccess;
    assert.ok(access.address.startsWith(address()), access.address);
    assert.equal((await pushFrom(pushing, { ...access, key })).status, 401, "the key before it does not work any more");
    assert.equal((await pushFrom(pushing, access)).status, 201);
    await plays(slot, "whep");
    const seen = inOrder(await readNumbers(slot, 150));
    process.stdout.write(`# pushed: p95 ${Math.round(seen.p95)} ms, ${seen.missing} of ${seen.count} not shown\n`);
    await until(
      async () => Number(await slot.getByRole("slider", { name: "Look back" }).count()) > 0,
      "it can look back",
    );
    await slot.getByRole("button", { name: "Back 5 s" }).click();
    await plays(slot, "hls");
    inOrder(await readNumbers(slot, 60));
    await slot.getByRole("button", { name: "Go live" }).click();
    await plays(slot, "whep");
  });

  test("whoever pushed is gone: it is said", async () => {
    await pushing.close();
    await slot
      .getByText(/was lost|has stopped|Nobody sends/)
      .first()
      .waitFor();
    // A stream without pictures is an answer of 502, which the browser notes.
    assert.deepEqual(
      bench.seen.complaints.filter((complaint) => !complaint.includes("502")),
      [],
    );
  });
});

test("another server's WHEP plays in order; its address and token stay on the server", async (t) => {
  assert.equal((await bench.ask("POST", "/streams", { name: "origin", kind: "test" })).status, 201);
  const asked: string[] = [];
  // A real media server: it passes on the exchange with ours, to those who have the token.
  const server = createServer(async (request, response) => {
    const { method = "", headers } = request;
    asked.push(`${method} ${headers.authorization}`);
    if (headers.authorization !== "Bearer hunter2") return response.writeHead(401).end();
    if (method === "DELETE") return response.writeHead(204).end();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const answer = await fetch(`${bench.workspaces.pages}${streamsOf(REPO)}/origin/whep`, {
      ...{ method: "POST", body: Buffer.concat(pieces) },
      headers: { "content-type": "application/sdp", "x-api-key": ownKey },
    });
    response.writeHead(answer.status, { location: "/viewer/1" }).end(await answer.text());
  }).listen(0, "127.0.0.1");
  const body = { name: "viewer", scopes: ["devices:read"] };
  const made = await bench.workspaces.owner.call(bench.workspaces.pages, "/auth/api-keys", { method: "POST", body });
  const { key: ownKey } = (await made.json()) as { key: string };
  await new Promise((resolve) => (server.listening ? resolve(undefined) : server.once("listening", resolve)));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const slot = await openPanel("webrtc-player");
  await slot.getByRole("button", { name: "Add a camera" }).click();
  await slot.getByLabel("Name").fill("far");
  await slot.getByLabel("Address").fill(`http://127.0.0.1:${port}/bench/whep`);
  await slot.getByLabel("Token").fill("hunter2");
  await slot.getByRole("button", { name: "Add", exact: true }).click();
  await plays(slot);
  const { missing, p95, count } = inOrder(await readNumbers(slot, 150));
  process.stdout.write(`# foreign WHEP: p95 ${Math.round(p95)} ms, ${missing} of ${count} not shown\n`);
  assert.ok(p95 <= 3 * FRAME_MS, `spread p95 ${p95} ms`);
  assert.equal(encoders().length, 1);
  assert.ok(asked.length > 0 && asked.every((one) => one.endsWith("Bearer hunter2")));
  assert.ok(!JSON.stringify(await (await bench.ask("GET", "/streams")).json()).includes("hunter2"));
  assert.equal((await bench.ask("DELETE", "/streams/far")).status, 204);
  await until(() => asked.some((one) => one.startsWith("DELETE")), "the other server is told that we are gone");
});
