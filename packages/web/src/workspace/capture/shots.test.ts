import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderRefused } from "../panel.ts";
import { CAPTURE_LIMITS } from "./limits.ts";
import { sendShot, waitWhileBusy } from "./shots.ts";

const workspace = { owner: "fieldworks", repo: "rover mainboard" };
const png = new Blob(["png"], { type: "image/png" });

test("a picture goes to its own address, unchanged", async () => {
  const calls: { url: unknown; init: RequestInit | undefined }[] = [];
  const fetch = async (url: unknown, init?: RequestInit) => {
    calls.push({ url, init });
    return new Response(null, { status: 204 });
  };
  await sendShot(workspace, "shot-1", png, { fetch });
  assert.equal(calls.length, 1);
  const [call] = calls;
  assert.equal(call?.url, "/api/workspaces/editor/fieldworks/rover%20mainboard/current/screenshot/shot-1");
  assert.equal(call?.init?.method, "POST");
  assert.equal(call?.init?.body, png);
  assert.deepEqual(call?.init?.headers, { "content-type": "image/png" });
});

/** Sends a picture to a server that answers so, one answer after the other; "lost" is none. */
async function sent(...answers: readonly (number | "lost")[]): Promise<number> {
  let calls = 0;
  const fetch = async () => {
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    if (answer === "lost") throw new TypeError("offline");
    return new Response(null, { status: answer ?? 204 });
  };
  await sendShot(workspace, "shot", png, { fetch, wait: async () => {} });
  return calls;
}

const isShotFailed = (error: unknown) => error instanceof OrderRefused && error.code === "shot-failed";

test("a picture that the server refuses, or never gets, is a failed shot", async () => {
  for (const answer of [404, 413, 503, "lost"] as const) await assert.rejects(sent(answer), isShotFailed);
});

test("a picture is sent again while a platform is being replaced", async () => {
  assert.equal(await sent(502, "lost", 204), 3);
});

test("a picture that was taken though its answer was lost has arrived", async () => {
  assert.equal(await sent("lost", 404), 2);
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
