import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PAGE_PATH, type Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import sharp from "sharp";
import { startViewer } from "./support/viewer.ts";
import { checkPairs, digestOf, listAll } from "./support/viewer-pairs.ts";

const RENAMES_AT_ONCE = 50;
/** Above the upload limit, so that some get 429 with Retry-After. */
const UPLOADS_AT_ONCE = VIEWER_LIMITS.maxUploadsUnderWay + 16;
const PASTES = 1_000;

async function inParallel<T>(things: readonly T[], many: number, work: (thing: T, place: number) => Promise<void>) {
  const rest = things.entries();
  await Promise.all(
    Array.from({ length: many }, async () => {
      for (const [place, thing] of rest) await work(thing, place);
    }),
  );
}

/** Tiny and unique. */
const pictureOf = (place: number): Promise<Buffer> =>
  sharp({ create: { width: 9, height: 7, channels: 3, background: { r: place & 255, g: place >> 8, b: 77 } } })
    .png()
    .toBuffer();

test(`${PASTES} screenshots renamed to the same name at once: all pairs are kept and numbered, none overwritten`, async (t) => {
  await using viewer = await startViewer();
  const token = { "x-viewer-token": await viewer.token() };
  const pictures = await Promise.all(Array.from({ length: PASTES }, (_, place) => pictureOf(place)));
  const sent = new Map<string, string>();
  let retries = 0;
  const startedMs = performance.now();
  await inParallel(pictures, UPLOADS_AT_ONCE, async (picture) => {
    for (;;) {
      const answer = await fetch(`${viewer.url}${PAGE_PATH}`, {
        method: "POST",
        headers: { ...token, "content-type": "image/png" },
        body: new Uint8Array(picture),
      });
      const body = (await answer.json()) as Paste;
      if (answer.status === 201) return void sent.set(body.id, digestOf(picture));
      assert.equal(answer.status, 429, JSON.stringify(body));
      const afterS = Number(answer.headers.get("retry-after"));
      assert.ok(afterS > 0);
      retries += 1;
      await wait(afterS * 1_000);
    }
  });
  const uploadedMs = performance.now();
  assert.equal(sent.size, PASTES);
  assert.ok(retries > 0, "some uploads were over the limit");

  await inParallel([...sent.keys()], RENAMES_AT_ONCE, async (id) => {
    const answer = await fetch(`${viewer.url}${PAGE_PATH}/${id}`, {
      method: "PATCH",
      headers: { ...token, "content-type": "application/json" },
      body: JSON.stringify({ name: "oven" }),
    });
    assert.equal(answer.status, 200, await answer.text());
  });
  t.diagnostic(
    `uploaded in ${Math.round(uploadedMs - startedMs)} ms, ${retries} retries; ` +
      `renamed in ${Math.round(performance.now() - uploadedMs)} ms`,
  );

  const pastes = await listAll(viewer, token["x-viewer-token"]);
  const numbered = Array.from({ length: PASTES }, (_, place) => (place === 0 ? "oven" : `oven-${place + 1}`));
  assert.deepEqual(pastes.map(({ name }) => name).sort(), numbered.sort());
  const digests = checkPairs(viewer, pastes);
  assert.deepEqual(new Map([...digests].sort()), new Map([...sent].sort()));
});
