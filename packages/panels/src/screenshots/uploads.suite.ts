import assert from "node:assert/strict";
import { existsSync, linkSync } from "node:fs";
import { mkdir, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Answered } from "../services.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { until } from "../workspaces/workspaces-under-test.suite.ts";
import {
  openUnderTest,
  picture,
  post,
  problemOf,
  type Shot,
  screenshotOf,
  type UnderTest,
  upload,
  WORKSPACE,
} from "./screenshots-under-test.suite.ts";

const SHOT_FAILED: Answered = { ok: false, reason: "refused", code: "shot-failed", detail: "The test refused it." };

export function testUploads(stage: Stage): void {
  const rule = ruleTest(stage.name);
  test(`${stage.name}: the image may be uploaded to another instance than the one that waits`, async (t) => {
    const { one, other, room, kept } = await openUnderTest(t, stage);
    room.onShot = async ({ shotId }) => upload(other, shotId, await picture(10, 20));
    assert.equal((await screenshotOf(await one.shoot({ name: "far" }))).height, 20);
    assert.deepEqual(await kept(), ["far-10x20.png"]);
  });

  test(`${stage.name}: an image that reaches the instance that waits is answered at once, and needs no file`, async (t) => {
    const { one, room, kept } = await openUnderTest(t, stage);
    const answering = Promise.withResolvers<Answered>();
    let there: string[] = [];
    room.onShot = async ({ shotId }) => {
      assert.equal((await post(one, shotId, await picture(10, 20))).status, 204);
      there = await kept();
      return answering.promise;
    };
    assert.equal((await screenshotOf(await one.shoot({ name: "near" }))).height, 20);
    answering.resolve(SHOT_FAILED);
    assert.ok(
      there.every((name) => !name.endsWith(".upload")),
      there.join(),
    );
    assert.deepEqual(await kept(), ["near-10x20.png"]);
  });

  test(`${stage.name}: of many uploads of one image exactly one is accepted`, async (t) => {
    const { one, other, room, kept } = await openUnderTest(t, stage);
    const png = await picture(8, 8);
    const all = Promise.withResolvers<number[]>();
    room.onShot = async ({ shotId }) => {
      const sending = Array.from({ length: 8 }, (_, n) => post(n % 2 ? one : other, shotId, png));
      all.resolve((await Promise.all(sending)).map(({ status }) => status).sort());
      return { ok: true, value: null };
    };
    await screenshotOf(await one.shoot({ name: "once" }));
    assert.deepEqual(await all.promise, [204, 404, 404, 404, 404, 404, 404, 404]);
    assert.deepEqual(await kept(), ["once-8x8.png"]);
  });

  rule(`${stage.name}: an upload that nobody waits for is 404 shot-unknown`, async (t) => {
    const { one, room, kept } = await openUnderTest(t, stage);
    const png = await picture(8, 8);
    assert.equal((await problemOf(await post(one, "x".repeat(32), png))).code, "shot-unknown");
    let elsewhere = 0;
    room.onShot = async ({ shotId }) => {
      const path = `${WORKSPACE.replace("Rover", "Other")}/screenshot/${shotId}`;
      const headers = { "content-type": "image/png" };
      elsewhere = (await one.call("POST", path, { headers, body: new Uint8Array(png) })).status;
      return upload(one, shotId, png);
    };
    await screenshotOf(await one.shoot({ name: "here" }));
    assert.equal(elsewhere, 404);
    const [order] = room.orders;
    assert.equal((await post(one, order?.shotId ?? "", png)).status, 404);
    assert.deepEqual(await kept(), ["here-8x8.png"]);
  });

  rule(`${stage.name}: a caller who may not use the workspace cannot upload its image`, async (t) => {
    const stageUnderTest = await openUnderTest(t, stage);
    const png = await picture(8, 8);
    const statuses = await whileWaiting(stageUnderTest, async ({ shotId }) => [
      (await post(stageUnderTest.one, shotId, png, { as: "Eve" })).status,
      (await post(stageUnderTest.one, shotId, png, { as: null })).status,
      (await upload(stageUnderTest.one, shotId, png)).ok,
    ]);
    assert.deepEqual(statuses, [403, 401, true]);
  });

  rule(
    `${stage.name}: not a PNG, too many pixels, too many bytes, another type: refused, and nothing is stored`,
    async (t) => {
      const stageUnderTest = await openUnderTest(t, stage);
      const { one, kept } = stageUnderTest;
      const vast = await picture(8, 8);
      vast.writeUInt32BE(0xffff, 16);
      vast.writeUInt32BE(0xffff, 20);
      const none = await picture(8, 8);
      none.writeUInt32BE(0, 16);
      const tooLong = Buffer.alloc(PANELS_LIMITS.maxShotBytes + 1);
      const statuses = await whileWaiting(stageUnderTest, async ({ shotId }) => [
        (await post(one, shotId, "<svg/>")).status,
        (await post(one, shotId, "")).status,
        (await post(one, shotId, none)).status,
        (await post(one, shotId, vast)).status,
        (await post(one, shotId, tooLong).catch(() => ({ status: 413 }))).status,
        (await post(one, shotId, await picture(8, 8), { headers: { "content-type": "image/jpeg" } })).status,
        false,
      ]);
      assert.deepEqual(statuses, [415, 415, 415, 413, 413, 415, false]);
      assert.deepEqual(await kept(), []);
    },
  );

  rule(`${stage.name}: an incomplete image is 502 shot-failed, and leaves nothing behind`, async (t) => {
    const { one, room, kept } = await openUnderTest(t, stage);
    room.onShot = async ({ shotId }) => upload(one, shotId, (await picture(64, 64)).subarray(0, 200));
    assert.equal((await problemOf(await one.shoot({}))).code, "shot-failed");
    assert.deepEqual(await kept(), []);
  });

  rule(`${stage.name}: files that a crash left behind are removed later; new ones stay`, async (t) => {
    const { one, folder, kept, clock } = await openUnderTest(t, stage);
    await mkdir(folder, { recursive: true });
    const put = async (name: string, ageMs: number) => {
      const at = new Date(clock.nowMs - ageMs);
      await writeFile(join(folder, name), "half");
      await utimes(join(folder, name), at, at);
    };
    await put(".shot-0123abc.upload", 3_600_000);
    await put(".shot-4567def.part", 1_000);
    await screenshotOf(await one.shoot({ name: "now" }));
    await until("the old one is gone", () => !existsSync(join(folder, ".shot-0123abc.upload")));
    assert.deepEqual(await kept(), [".shot-4567def.part", "now-64x48.png"]);
  });

  rule(`${stage.name}: 409 when a project is at its limit of screenshots, and no browser is asked`, async (t) => {
    const { one, folder, room } = await openUnderTest(t, stage);
    await mkdir(folder, { recursive: true });
    const old = (n: number) => join(folder, `old-${n}.png`);
    await writeFile(old(1), "");
    // Links, because thousands of new files take several times as long.
    for (let n = 2; n < PANELS_LIMITS.maxScreenshots; n += 1) linkSync(old(1), old(n));
    await screenshotOf(await one.shoot({ name: "last" }));
    const problem = await problemOf(await one.shoot({ name: "more" }));
    assert.deepEqual([problem.status, problem.code], [409, "too-many-of-these"]);
    assert.equal(room.orders.length, 1);
    await rm(old(1));
    await screenshotOf(await one.shoot({ name: "more" }));
  });

  rule(`${stage.name}: a symbolic link in place of the folder is not followed`, async (t) => {
    const { one, folder } = await openUnderTest(t, stage);
    const outside = join(tmpdir(), `outside-${process.pid}-${stage.name.length}`);
    await mkdir(outside, { recursive: true });
    t.after(() => rm(outside, { recursive: true }));
    await mkdir(dirname(folder), { recursive: true });
    await symlink(outside, folder);
    const { status } = await one.shoot({ name: "out" });
    assert.ok(status === 422 || status === 502, `was ${status}`);
    assert.deepEqual(await readdir(outside), []);
  });
}

/** Does something while a call waits for its image. The last value it returns says whether the screenshot succeeded. */
async function whileWaiting({ one, room }: UnderTest, work: (order: Shot) => Promise<unknown[]>): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  room.onShot = async (order) => {
    const done = await work(order);
    resolve(done);
    return done.at(-1) === true ? { ok: true, value: null } : SHOT_FAILED;
  };
  await one.shoot({ name: "waiting" });
  return promise;
}
