import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderRefused } from "../panel.ts";
import { CAPTURE_LIMITS } from "./limits.ts";
import { sendShot, waitWhileBusy } from "./shots.ts";

const workspace = { owner: "fieldworks", repo: "rover mainboard" };
const png = new Blob(["png"], { type: "image/png" });

test("a picture goes to its own address, unchanged", async () => {
  const calls: { url: unknown; init: RequestInit | undefined }[] = [];
  await sendShot(workspace, "shot-1", png, async (url, init) => {
    calls.push({ url, init });
    return new Response(null, { status: 204 });
  });
  const [call] = calls;
  assert.equal(call?.url, "/api/workspaces/editor/fieldworks/rover%20mainboard/current/screenshot/shot-1");
  assert.equal(call?.init?.method, "POST");
  assert.equal(call?.init?.body, png);
  assert.deepEqual(call?.init?.headers, { "content-type": "image/png" });
});

test("a picture that the server refuses or never gets is a failed shot", async () => {
  const isShotFailed = (error: unknown) => error instanceof OrderRefused && error.code === "shot-failed";
  await assert.rejects(
    sendShot(workspace, "late", png, async () => new Response(null, { status: 404 })),
    isShotFailed,
  );
  await assert.rejects(
    sendShot(workspace, "lost", png, async () => {
      throw new TypeError("offline");
    }),
    isShotFailed,
  );
});

async function waited(busyForMs: number): Promise<number> {
  let ms = 0;
  await waitWhileBusy({
    isBusy: () => ms < busyForMs,
    wait: async (more) => {
      ms += more;
    },
  });
  return ms;
}

test("a panel that has loaded is not waited for", async () => assert.equal(await waited(0), 0));

test("a panel that loads is waited for", async () => {
  const ms = await waited(100);
  assert.ok(ms > 100 && ms < 200, `${ms} ms`);
});

test("a panel that never finishes loading is captured all the same", async () => {
  const ms = await waited(Number.POSITIVE_INFINITY);
  assert.ok(ms >= CAPTURE_LIMITS.loadsWithinMs && ms < CAPTURE_LIMITS.loadsWithinMs + 100, `${ms} ms`);
});
