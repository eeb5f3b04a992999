// Cameras in recordings: the same picture at the same time, from ffmpeg to the pixels in Chromium.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Recording } from "@backplane/contract/devices";
import type { Locator, Page } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import { type CameraBench, encoders, openCameraBench, pictureOf, plays, useCameraBench } from "./support/cameras.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { FRAME_MS, inOrder, numberNow, readNumbers } from "./support/numbered-pictures.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { seek } from "./support/replay.ts";

const REPO = "tape";

let bench: CameraBench;
let page: Page;
let slot: Locator;

useCameraBench(
  () => openCameraBench(REPO),
  (opened) => {
    bench = opened;
    page = opened.page;
  },
);

const recordingOf = async (answer: Response) => (await answer.json()) as Recording;

/** Pictures as they are shown, with the time that the server gave them. */
const readTimes = (video: Locator, count: number): Promise<{ tMs: number; number: number }[]> =>
  video.evaluate(
    (element, wanted) =>
      new Promise((resolve) => {
        const video = element as HTMLVideoElement;
        const canvas = new OffscreenCanvas(320, 20);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        const all: { tMs: number; number: number }[] = [];
        const look = (_now: number, { rtpTimestamp = 0 }: VideoFrameCallbackMetadata) => {
          context?.drawImage(video, 0, 0, 320, 20, 0, 0, 320, 20);
          const pixels = context?.getImageData(0, 0, 320, 20).data ?? [];
          let number = 0;
          for (let bit = 0; bit < 16; bit += 1)
            if ((pixels[(10 * 320 + bit * 20 + 10) * 4] ?? 0) > 128) number |= 1 << bit;
          const nowTicks = Date.now() * 90;
          const agoTicks = (((nowTicks - rtpTimestamp) % 2 ** 32) + 2 ** 32) % 2 ** 32;
          all.push({ tMs: (nowTicks - agoTicks) / 90, number });
          if (all.length < wanted) video.requestVideoFrameCallback(look);
          else resolve(all);
        };
        video.requestVideoFrameCallback(look);
      }),
    count,
  );

suite("cameras in recordings", { concurrency: 1 }, () => {
  let recording: Recording;
  const live: { tMs: number; number: number }[] = [];

  test("a camera whose switch is on is recorded, also when nobody looks", async () => {
    assert.equal((await bench.ask("POST", "/streams", { name: "bench", kind: "test" })).status, 201);
    const { tabId } = await bench.driver.open("webrtc-player", { initialState: { stream: "bench" } });
    slot = slotOf(page, tabId);
    await plays(slot);
    await slot.getByRole("checkbox", { name: "Record" }).click();
    await until(async () => slot.getByRole("checkbox", { name: "Record" }).isChecked(), "it is on");
    const started = await bench.ask("POST", "/recordings", { name: "with a camera" });
    assert.equal(started.status, 201);
    recording = await recordingOf(started);
    // From the next key picture on.
    await readNumbers(slot, 60);
    for (let i = 0; i < 3; i += 1) {
      live.push(...(await readTimes(slot.locator("video"), 1)));
      await readNumbers(slot, 40);
    }
    assert.equal(encoders().length, 1, "viewers and the recording share one puller");
    const stopped = await bench.ask("PATCH", `/recordings/${recording.id}`, { state: "stopped" });
    assert.equal(stopped.status, 200);
    recording = await recordingOf(stopped);
    assert.ok(recording.state === "whole" && recording.bytes > 100_000, JSON.stringify(recording));
  });

  test("a replay shows the same picture at the same time", async () => {
    await page.goto(`${bench.workspaces.pages}/w/${OWNER.name}/${REPO}/recordings`);
    await page.getByRole("link", { name: "Replay" }).click();
    await slot.locator(".stream-panel[data-via=recording][data-phase=playing]").waitFor();
    const pause = page.getByRole("button", { name: "Pause", exact: true });
    await pause.or(page.getByRole("button", { name: "Play", exact: true })).waitFor();
    if ((await pause.count()) > 0) await pause.click();
    const time = page.getByRole("slider", { name: "Time" });
    // Back and forth, as people look for something.
    for (const { tMs, number } of [...live, ...live.slice().reverse()]) {
      await seek(time, tMs);
      // The slider has steps: the time that it then says decides, to the millisecond.
      const besideMs = async () => {
        const seconds = Number((await time.getAttribute("aria-valuetext"))?.match(/[\d.]+$/)?.[0]);
        return ((((seconds * 1_000 - (tMs % 60_000) + 90_000) % 60_000) + 60_000) % 60_000) - 30_000;
      };
      await until(async () => Math.abs(await besideMs()) <= 110, `it is at ${tMs}`);
      const beside = await besideMs();
      const expected = number + Math.floor(beside / FRAME_MS);
      await until(
        async () => Math.abs((await numberNow(slot)) - expected) <= 1,
        `picture ${expected} is shown, ${Math.round(beside)} ms beside picture ${number}`,
      );
    }
    await pictureOf(slot, "cameras-replay");
    await assertLooksRightInEveryLook(page, "a replay with a camera");
  });

  test("it plays in order, at the pace of the replay", async () => {
    await seek(page.getByRole("slider", { name: "Time" }), Math.round(live[0]?.tMs ?? 0));
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const { missing, p50, p95, count } = inOrder(await readNumbers(slot, 60));
    process.stdout.write(
      `# replay: spread p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, ${missing} not shown\n`,
    );
    // A busy browser leaves pictures out; what is shown is in order and at its time.
    assert.ok(p95 <= 6 * FRAME_MS, `spread p95 ${p95} ms, ${missing} of ${count} not shown`);
    await page.getByRole("button", { name: "Back to live" }).click();
    await slot.locator(".stream-panel[data-phase=playing]:not([data-via])").waitFor();
    assert.deepEqual(bench.seen.complaints, []);
  });

  test("a camera that was not recorded says so", async () => {
    assert.equal((await bench.ask("POST", "/streams", { name: "other", kind: "test" })).status, 201);
    const { tabId } = await bench.driver.open("live-stream", { initialState: { stream: "other" } });
    await page.goto(`${bench.workspaces.pages}/w/${OWNER.name}/${REPO}/recordings`);
    await page.getByRole("link", { name: "Replay" }).click();
    await slotOf(page, tabId).getByText("The recording has no pictures of other").waitFor();
  });
});
