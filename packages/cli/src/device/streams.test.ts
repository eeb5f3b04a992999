import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { PANEL_TOKEN, startScriptedPanels } from "../panel/scripted-panels.suite.ts";
import { runLineHere } from "../run-here.suite.ts";

const STREAMS = "/api/workspaces/editor/lab/rover/current/streams";
const DOOR = {
  ...{ name: "door", kind: "rtsp", state: "refused", reason: "Nothing listens\u001b[2J there.", viewers: 2 },
  ...{ settings: { address: "rtsp://192.168.1.60/stream1", record: true }, secrets: ["password"] },
};
const SETTINGS = { properties: { address: { type: "string" }, record: { type: "boolean" } } };
const KINDS = [{ kind: "rtsp", name: "RTSP camera", description: "A camera", needsFfmpeg: false, settings: SETTINGS }];

test("cameras are listed, added with settings of their types, and removed", async () => {
  await using platform = await startScriptedPanels({
    [`GET ${STREAMS}`]: { body: { streams: [DOOR], kinds: KINDS, ffmpeg: null } },
    [`POST ${STREAMS}`]: { status: 201, body: DOOR },
    [`POST ${STREAMS}/door/key`]: {
      status: 201,
      body: { address: "https://lab.example.org/api/whip/1/door", key: "bpc_x" },
    },
    [`DELETE ${STREAMS}/door`]: { status: 204 },
  });
  const env = {
    ...process.env,
    BASE_URL: platform.url,
    BACKPLANE_TOKEN: PANEL_TOKEN,
    BACKPLANE_WORKSPACE: "lab/rover",
  };
  const stream = (...args: readonly string[]) => runLineHere({ cwd: tmpdir(), env }, ["stream", ...args]);
  const listed = await stream("list");
  assert.match(listed.stdout, /door {2}rtsp, refused, 2 looking, recorded, rtsp:\/\/192\.168\.1\.60\/stream1\n/);
  assert.match(listed.stdout, /Nothing listens \[2J there\./);
  assert.equal((await stream("add", "door", "rtsp", "address=rtsp://192.168.1.60/a=b", "record=true")).status, 0);
  assert.deepEqual(platform.asked.at(-1)?.body, {
    ...{ name: "door", kind: "rtsp", settings: { address: "rtsp://192.168.1.60/a=b", record: true } },
  });
  const wrong = await stream("add", "door", "rtsp", "rtsp://192.168.1.60");
  assert.deepEqual([wrong.status, /is not a setting/.test(wrong.stderr)], [2, true]);
  const made = await stream("key", "door");
  assert.match(made.stdout, /push to {2}https:\/\/lab\.example\.org\/api\/whip\/1\/door\n.*bpc_x/);
  assert.equal((await stream("remove", "door")).status, 0);
});
