import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderRefused } from "../panel.ts";
import { sendShot, untilCalm } from "./capture.ts";
import { CAPTURE_LIMITS } from "./limits.ts";

const place = { owner: "fieldworks", repo: "rover mainboard" };
const png = new Blob(["png"], { type: "image/png" });

test("a picture goes to its own address, as it is", async () => {
  const calls: { url: unknown; init: RequestInit | undefined }[] = [];
  await sendShot(place, "shot-1", png, async (url, init) => {
    calls.push({ url, init });
    return new Response(null, { status: 204 });
  });
  const [call] = calls;
  assert.equal(call?.url, "/api/workspaces/editor/fieldworks/rover%20mainboard/current/screenshot/shot-1");
  assert.equal(call?.init?.method, "POST");
  assert.equal(call?.init?.body, png);
  assert.deepEqual(call?.init?.headers, { "content-type": "image/png" });
});

test("a picture that is not taken, or never arrives, is a shot that failed", async () => {
  const isShotFailed = (error: unknown) => error instanceof OrderRefused && error.code === "shot-failed";
  await assert.rejects(
    sendShot(place, "late", png, async () => new Response(null, { status: 404 })),
    isShotFailed,
  );
  await assert.rejects(
    sendShot(place, "lost", png, async () => {
      throw new TypeError("offline");
    }),
    isShotFailed,
  );
});

async function waited(busyForMs: number): Promise<number> {
  let ms = 0;
  await untilCalm({
    isBusy: () => ms < busyForMs,
    later: async (more) => {
      ms += more;
    },
  });
  return ms;
}

test("a panel that shows what it has is not waited for", async () => assert.equal(await waited(0), 0));

test("one that loads is waited for, and drawn, before its picture is taken", async () => {
  const ms = await waited(100);
  assert.ok(ms > 100 && ms < 200, `${ms} ms`);
});

test("one that loads for ever has its picture taken all the same", async () => {
  const ms = await waited(Number.POSITIVE_INFINITY);
  assert.ok(ms >= CAPTURE_LIMITS.settlesWithinMs && ms < CAPTURE_LIMITS.settlesWithinMs + 100, `${ms} ms`);
});
