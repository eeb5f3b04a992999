// Streams of a workspace on two instances, with Redis: each is got once, by the instance that holds the workspace.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HlsViewer, StreamNow, TriedStream } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { openCameraForTest } from "../testing/camera.suite.ts";
import { openTwoInstances } from "../testing/two-instances.ts";

async function openStage(t: TestContext) {
  const area = await openTwoInstances(t);
  const { first, last, call } = area;
  const camera = await openCameraForTest(t);
  const body = { name: "door", kind: "rtsp", settings: { address: camera.address } };
  assert.equal((await call("POST", "/streams", { body })).status, 201);
  type At = typeof first;
  const tried = async (at: At) => (await (await call("POST", "/streams/door/try", { at })).json()) as TriedStream;
  const watchHls = async (at: At) => {
    const made = await call("POST", "/streams/door/hls", { at });
    assert.equal(made.status, 201, await made.clone().text());
    const { playlist } = (await made.json()) as HlsViewer;
    return playlist.slice(playlist.indexOf("/streams/"));
  };
  return { ...area, camera, tried, watchHls, both: [first, last] as const };
}

test("whichever instance is asked, the camera is connected once, and files come through every instance", async (t) => {
  const { camera, both, tried, watchHls, call, json } = await openStage(t);
  const playlists: string[] = [];
  for (const at of both) {
    await until("it plays", async () => (await tried(at)).state === "playing");
    playlists.push(await watchHls(at));
  }
  assert.equal(camera.viewers(), 1);
  for (const playlist of playlists)
    for (const at of both) {
      const list = await (await call("GET", playlist, { at })).text();
      const part = /^([\w-]+\.m4s)$/m.exec(list)?.[1];
      assert.ok(part, list);
      const file = await call("GET", playlist.replace("index.m3u8", part), { at });
      assert.deepEqual([file.status, (await file.arrayBuffer()).byteLength > 1_000], [200, true]);
    }
  for (const at of both)
    await until("both say who looks", async () => (await json<StreamNow>("/streams/door", at)).viewers === 2);
  for (const [i, playlist] of playlists.entries()) {
    const ended = await call("DELETE", playlist.replace("/index.m3u8", ""), { at: both[1 - i] ?? both[0] });
    assert.equal(ended.status, 204);
  }
  await until("the camera is left", () => camera.viewers() === 0);
});

test("what is in the way is said through every instance", async (t) => {
  const { camera, both, tried, call } = await openStage(t);
  await camera.close();
  for (const at of both) assert.match((await tried(at)).reason ?? "", /Nothing listens/);
  for (const at of both) {
    const refused = await call("POST", "/streams/door/hls", { at });
    assert.equal(refused.status, 502);
    assert.match(((await refused.json()) as { detail: string }).detail, /Nothing listens/);
    assert.equal((await call("POST", "/streams/nothing/try", { at })).status, 404);
  }
});

test("the instance that has the camera is stopped: the other one gets it, and it is connected once", async (t) => {
  const { camera, both, tried, watchHls } = await openStage(t);
  const [first, last] = both;
  await until("it plays", async () => (await tried(first)).state === "playing");
  await watchHls(last);
  await first.stop();
  await until("the other one has it", async () => (await tried(last)).state === "playing");
  assert.equal(camera.viewers(), 1);
});
