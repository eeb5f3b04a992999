// A recording opens in a tool of others: Rerun, whose reader of MCAP files is written in Rust and is not the one that writes ours.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Recording } from "@backplane/contract/devices";
import type { Browser, Page } from "playwright-core";
import { readMcap } from "../packages/devices/src/testing/mcap-reader.ts";
import { findChromium, freePort } from "../scripts/services/index.ts";
import { launch, newContext } from "./support/browser.ts";
import { until } from "./support/processes.ts";
import { connectTold, nodeOf } from "./support/told-device.ts";
import { installWitness } from "./support/witnesses.ts";
import { driverOf, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "elsewhere";
const SAMPLES = 200;
/** Times of JavaScript in nanoseconds are only so exact. */
const EXACT_NS = 1_000n;

let browser: Browser;
let workspaces: Workspaces;
let viewer: Awaited<ReturnType<typeof serveViewer>>;

before(async () => {
  browser = await launch(await findChromium(), "--use-angle=swiftshader", "--enable-unsafe-swiftshader");
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  viewer = await serveViewer();
});
after(async () => {
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
  viewer?.close();
});

const PAGE = `<!doctype html><title>Rerun</title><script type="module">
  import { WebViewer } from "/index.js";
  window.viewer = new WebViewer();
  window.opened = new Promise((resolve) => viewer.on("recording_open", resolve));
  await viewer.start(null, document.body, { width: "1200px", height: "800px", hide_welcome_screen: true });
  window.started = true;
</script>`;

/** The files of its package, as a bundler would serve them: one import has no ending. */
async function serveViewer() {
  const folder = dirname(await installWitness("@rerun-io/web-viewer/index.js"));
  const types: Record<string, string> = { js: "text/javascript", wasm: "application/wasm" };
  const server = createServer(({ url = "/" }, response) => {
    if (url === "/") return void response.setHeader("content-type", "text/html").end(PAGE);
    const name = url === "/re_viewer" ? "re_viewer.js" : url.slice(1);
    const type = types[name.split(".").at(-1) ?? ""];
    if (!/^\w+\.\w+$/.test(name) || type === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", type);
    createReadStream(join(folder, name)).pipe(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

type Viewer = {
  started?: true;
  opened: Promise<{ recording_id: string; source: string }>;
  viewer: {
    get_active_timeline(recording: string): string | null;
    get_time_range(recording: string, timeline: string): { min: number; max: number } | null;
  };
};

/** Drops a file on the viewer, as a person would. */
async function drop(page: Page, bytes: Buffer): Promise<void> {
  await page.goto(viewer.url);
  await page.waitForFunction(() => (window as unknown as Viewer).started);
  const dropped = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.fromBase64(base64)], "recording.mcap"));
    return transfer;
  }, bytes.toString("base64"));
  for (const event of ["dragover", "drop"]) await page.dispatchEvent("canvas", event, { dataTransfer: dropped });
}

async function record(): Promise<Buffer> {
  const nodes = {
    machine: nodeOf("temperature", { motor_c: "°C", gearbox_c: "°C" }),
    air: nodeOf("power", { voltage_v: "V" }),
  };
  await using device = await connectTold(workspaces, REPO, "rig", nodes);
  const { owner, pages } = workspaces;
  const recordings = `${driverOf(workspaces, pages, REPO).current}/recordings`;
  const made = (await (await owner.call(pages, recordings, { method: "POST", body: {} })).json()) as Recording;
  for (let n = 0; n < SAMPLES; n += 1) {
    await device.tell("machine", { motor_c: n, gearbox_c: -n });
    await device.tell("air", { voltage_v: n / 10 });
    await device.say("info", `told ${n}`);
  }
  const path = `${recordings}/${made.id}`;
  const read = async () => (await (await owner.call(pages, path)).json()) as Recording;
  await until(async () => (await read()).messages >= 3 * SAMPLES, "all is recorded");
  assert.equal((await owner.call(pages, path, { method: "PATCH", body: { state: "stopped" } })).status, 200);
  return Buffer.from(await (await owner.call(pages, `${path}.mcap`)).arrayBuffer());
}

suite("recordings in a tool of others", { concurrency: 1 }, () => {
  let bytes: Buffer;
  before(async () => {
    bytes = await record();
  });

  test("Rerun opens one, and finds its first and its last message", async () => {
    const times = readMcap(bytes).messages.map(({ logTime }) => logTime);
    const [first, last] = [times.reduce((a, b) => (b < a ? b : a)), times.reduce((a, b) => (b > a ? b : a))];
    assert.ok(last > first);

    await using context = await newContext(browser, { viewport: { width: 1200, height: 800 } });
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await drop(page, bytes);
    const opened = await page.evaluate(() => (window as unknown as Viewer).opened);
    assert.equal(opened.source, "McapImporter");
    const range = await page.waitForFunction((recording) => {
      const { viewer } = window as unknown as Viewer;
      const timeline = viewer.get_active_timeline(recording);
      return timeline === null ? null : { timeline, ...viewer.get_time_range(recording, timeline) };
    }, opened.recording_id);
    const { timeline, min, max } = (await range.jsonValue()) as { timeline: string; min: number; max: number };
    assert.equal(timeline, "message_log_time");
    for (const [seen, written] of [
      [min, first],
      [max, last],
    ] as const) {
      const apart = BigInt(seen) - written;
      assert.ok(apart < EXACT_NS && -apart < EXACT_NS, `${seen} is not ${written}`);
    }
    assert.deepEqual(
      said.filter((line) => /\b(ERROR|WARN)\b.*mcap/i.test(line)),
      [],
    );
  });

  test("it refuses one that lacks its end, so what it opens was read", async () => {
    await using context = await newContext(browser, { viewport: { width: 1200, height: 800 } });
    const page = await context.newPage();
    const refused = page.waitForEvent(
      "console",
      (message) => /mcap/i.test(message.text()) && /\b(ERROR|WARN)\b/.test(message.text()),
    );
    await drop(page, bytes.subarray(0, bytes.length >> 1));
    await refused;
  });
});
