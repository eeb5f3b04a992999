import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderRefused } from "../panel.ts";
import { sendShot } from "./send-shot.ts";

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
