// A camera of a workspace on two instances: connected once, seen through both, and taken over when its instance is killed.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { HlsViewer, Recording } from "@backplane/contract/devices";
import type { Locator } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import { type CameraBench, encoders, openCameraBench, plays } from "./support/cameras.ts";
import { inOrder, readNumbers } from "./support/numbered-pictures.ts";
import { descendantsOf, until } from "./support/processes.ts";

const REPO = "camera-cluster";

let bench: CameraBench;

before(async () => {
  bench = await openCameraBench(REPO, "two instances over PostgreSQL and Redis");
  assert.equal((await bench.ask("POST", "/streams", { name: "bench", kind: "test" })).status, 201);
});
after(() => bench?.[Symbol.asyncDispose]());

/** The instance that has the camera. */
const holder = () =>
  bench.workspaces.instances.find(({ pid }) => descendantsOf(pid).some(({ command }) => command.startsWith("ffmpeg")));

suite("a camera on two instances", { concurrency: 1 }, () => {
  let slot: Locator;

  test("it is connected once, whichever instance is asked, and plays in order", async () => {
    const { tabId } = await bench.driver.open("live-stream", { initialState: { stream: "bench" } });
    slot = slotOf(bench.page, tabId);
    await plays(slot, "whep");
    for (const { url } of bench.workspaces.instances) {
      const tried = await bench.ask("POST", "/streams/bench/try", undefined, url);
      assert.equal(((await tried.json()) as { state: string }).state, "playing");
    }
    assert.equal(encoders().length, 1);
    const { missing, p95, count } = inOrder(await readNumbers(slot, 150));
    process.stdout.write(`# two instances: p95 ${Math.round(p95)} ms, ${missing} of ${count} not shown\n`);
  });

  test("HLS comes through the instance that does not have the camera", async () => {
    const other = bench.workspaces.instances.find((one) => one !== holder());
    assert.ok(other);
    const made = await bench.ask("POST", "/streams/bench/hls", undefined, other.url);
    assert.equal(made.status, 201);
    const { playlist } = (await made.json()) as HlsViewer;
    const list = await (await bench.workspaces.owner.call(other.url, playlist)).text();
    const part = /^([\w-]+\.m4s)$/m.exec(list)?.[1] ?? "";
    const file = await bench.workspaces.owner.call(other.url, playlist.replace("index.m3u8", part));
    assert.deepEqual([file.status, (await file.arrayBuffer()).byteLength > 10_000], [200, true], list);
    assert.equal(encoders().length, 1);
  });

  test("it is recorded once, whichever instance is asked, and either one replays it", async () => {
    const [one, other] = [holder(), bench.workspaces.instances.find((each) => each !== holder())];
    assert.ok(one && other);
    const on = await bench.ask("PUT", "/streams/bench", { settings: { record: true } }, other.url);
    assert.equal(on.status, 200);
    const started = await bench.ask("POST", "/recordings", { name: "both" }, other.url);
    assert.equal(started.status, 201, await started.clone().text());
    const { id } = (await started.json()) as Recording;
    await readNumbers(slot, 120);
    assert.equal(encoders().length, 1, "viewers and the recording share one puller");
    const stopped = await bench.ask("PATCH", `/recordings/${id}`, { state: "stopped" }, other.url);
    assert.equal(stopped.status, 200, await stopped.clone().text());
    const recording = (await stopped.json()) as Recording;
    assert.ok(recording.state === "whole" && recording.bytes > 50_000, JSON.stringify(recording));
    for (const { url } of [one, other]) {
      const playlist = `/recordings/${id}/streams/bench/index.m3u8`;
      const list = await (await bench.ask("GET", playlist, undefined, url)).text();
      const part = /^([\w-]+\.m4s)$/m.exec(list)?.[1] ?? "";
      const file = await bench.ask("GET", playlist.replace("index.m3u8", part), undefined, url);
      assert.deepEqual([file.status, (await file.arrayBuffer()).byteLength > 5_000], [200, true], list);
    }
    assert.equal((await bench.ask("PUT", "/streams/bench", { settings: { record: false } })).status, 200);
  });

  test("the instance that has it is killed: the other one takes over, and the picture is back by itself", async () => {
    const killed = holder();
    assert.ok(killed);
    const [before] = await readNumbers(slot, 1);
    const fromMs = performance.now();
    await killed.kill("SIGKILL");
    await until(() => {
      const now = holder();
      return now !== undefined && now !== killed;
    }, "the other instance has the camera");
    await plays(slot);
    const [shown] = await readNumbers(slot, 1);
    process.stdout.write(`# taken over after ${Math.round(performance.now() - fromMs)} ms\n`);
    assert.ok(before && shown);
    inOrder(await readNumbers(slot, 60));
  });
});
