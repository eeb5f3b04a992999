import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { readFileSync, watch } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PAGE_PATH, type Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import sharp from "sharp";
import { pastesFolder } from "../packages/viewer/src/pastes/storage/folder.ts";
import { until } from "./support/processes.ts";
import { type RunningViewer, startViewer } from "./support/viewer.ts";
import { checkPair, checkPairs, digestOf, listAll, sizeOf } from "./support/viewer-pairs.ts";

const CLIENTS = 6;
/** Kills during normal work, and during the recovery at start. More at work if none of them interrupted anything. */
const KILLS_AT_WORK = 12;
const MAX_KILLS_AT_WORK = 2 * KILLS_AT_WORK + 4;
const KILLS_AT_START = 4;
const MAX_ANSWERS = 30;
/** Almost all of the first answers are to uploads, which later turns change. */
const MIN_FIRST_ANSWERS = 8;
const MAX_DELAY_MS = 50;
const MAX_CHANGES_SEEN = 150;
const WORKS_WITHIN_MS = 120_000;
/** Below the restore limit, so that every removed paste can be restored. */
const MAX_REMOVED = VIEWER_LIMITS.maxRemoved - CLIENTS;
const NAMES = ["oven", "login", "board-rev-c"];

/** Confirmed by a response, so it must survive. A change without a response may have happened or not. */
type Known = {
  digest: string;
  place: "here" | "removed" | "either";
  name: string | undefined;
  isBusy: boolean;
};
type Ledger = { sent: Map<string, string>; known: Map<string, Known>; answered: number; cutOff: number };
type Life = { isOver: boolean };

let pictures = 0;
/** Unique and without text. Some exceed the size limit of the optimized copy. */
async function newPicture(): Promise<{ png: Buffer; size: string }> {
  pictures += 1;
  const [width, height] = pictures % 5 === 0 ? [1_600 + randomInt(400), 20] : [8 + randomInt(60), 8 + randomInt(60)];
  const background = { r: pictures & 255, g: (pictures >> 8) & 255, b: 128 };
  const png = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  return { png, size: sizeOf({ width, height }) };
}

/** Makes random client requests, one at a time, until the process is killed. */
async function work(viewer: RunningViewer, token: string, ledger: Ledger, life: Life): Promise<void> {
  while (!life.isOver) {
    const dice = Math.random();
    if (dice < 0.5) await upload(viewer, token, ledger, life);
    else if (dice < 0.8) await rename(viewer, token, ledger, life);
    else if (dice < 0.9) await remove(viewer, token, ledger, life);
    else await restore(viewer, token, ledger, life);
  }
}

/** Undefined if the connection was cut: the outcome is unknown. */
async function call(viewer: RunningViewer, path: string, init: RequestInit, life: Life, ledger: Ledger) {
  try {
    const answer = await fetch(`${viewer.url}${PAGE_PATH}${path}`, init);
    const body = (await answer.json().catch((error) => {
      if (answer.status === 204) return {};
      throw error;
    })) as Paste;
    ledger.answered += 1;
    return { status: answer.status, body };
  } catch (error) {
    if (!life.isOver) throw error;
    ledger.cutOff += 1;
    return undefined;
  }
}

async function upload(viewer: RunningViewer, token: string, ledger: Ledger, life: Life): Promise<void> {
  const { png, size } = await newPicture();
  const digest = digestOf(png);
  ledger.sent.set(digest, size);
  const headers = { "x-viewer-token": token, "content-type": "image/png" };
  const answer = await call(viewer, "", { method: "POST", headers, body: new Uint8Array(png) }, life, ledger);
  if (!answer) return;
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  ledger.known.set(answer.body.id, { digest, place: "here", name: undefined, isBusy: false });
}

/** Changes a paste that no other client is changing, so that the expected state stays certain. */
async function withIdlePaste(
  ledger: Ledger,
  fits: (one: Known) => boolean,
  change: (id: string, one: Known) => Promise<void>,
): Promise<void> {
  const free = [...ledger.known].filter(([, one]) => !one.isBusy && fits(one));
  if (free.length === 0) return;
  const [id, one] = free[randomInt(free.length)] as [string, Known];
  one.isBusy = true;
  await change(id, one);
  one.isBusy = false;
}

const rename = (viewer: RunningViewer, token: string, ledger: Ledger, life: Life) =>
  withIdlePaste(
    ledger,
    ({ place }) => place === "here",
    async (id, one) => {
      const name = NAMES[randomInt(NAMES.length)] ?? "";
      one.name = undefined;
      const headers = { "x-viewer-token": token, "content-type": "application/json" };
      const answer = await call(
        viewer,
        `/${id}`,
        { method: "PATCH", headers, body: JSON.stringify({ name }) },
        life,
        ledger,
      );
      if (!answer) return;
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      one.name = name;
    },
  );

async function remove(viewer: RunningViewer, token: string, ledger: Ledger, life: Life): Promise<void> {
  if ([...ledger.known.values()].filter(({ place }) => place !== "here").length >= MAX_REMOVED) return;
  await withIdlePaste(
    ledger,
    ({ place }) => place === "here",
    async (id, one) => {
      one.place = "either";
      const init = { method: "DELETE", headers: { "x-viewer-token": token } };
      const answer = await call(viewer, `/${id}`, init, life, ledger);
      if (!answer) return;
      assert.equal(answer.status, 204, JSON.stringify(answer.body));
      one.place = "removed";
    },
  );
}

const restore = (viewer: RunningViewer, token: string, ledger: Ledger, life: Life) =>
  withIdlePaste(
    ledger,
    ({ place }) => place === "removed",
    async (id, one) => {
      one.place = "either";
      const init = { method: "POST", headers: { "x-viewer-token": token } };
      const answer = await call(viewer, `/${id}/restore`, init, life, ledger);
      if (!answer) return;
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      one.place = "here";
    },
  );

/** Kills shortly after a random number of responses, or right at a random file change. */
async function killAtWork(viewer: RunningViewer, ledger: Ledger, life: Life, turn: number): Promise<void> {
  const { pairs, incoming } = pastesFolder(viewer.project);
  let left = randomInt(1, MAX_CHANGES_SEEN);
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const onChange = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  const watchers = [pairs, incoming].map((folder) => watch(folder, onChange));
  if (turn % 2 === 0) await Promise.race([changed, until(() => left <= 0, "the change", WORKS_WITHIN_MS)]);
  else {
    const enough = ledger.answered + randomInt(turn === 1 ? MIN_FIRST_ANSWERS : 1, MAX_ANSWERS);
    await until(() => ledger.answered >= enough, "an answer", WORKS_WITHIN_MS);
    // A random delay, so that the kill hits a random point in its work.
    await wait(randomInt(MAX_DELAY_MS));
  }
  life.isOver = true;
  const killed = viewer.kill("SIGKILL");
  for (const watcher of watchers) watcher.close();
  await killed;
}

/** Kills shortly after it has taken the project, while it recovers. */
async function killAtStart(viewer: RunningViewer): Promise<void> {
  const { holder } = pastesFolder(viewer.project);
  const started = viewer.start().then(
    () => true,
    () => false,
  );
  const { pid } = viewer;
  await Promise.race([started, until(() => readFileSync(holder, "utf8").includes(String(pid)), "it has the project")]);
  await wait(randomInt(40));
  await viewer.kill("SIGKILL");
  await started;
}

/** Everything that must hold right after a start. */
async function check(viewer: RunningViewer, token: string, ledger: Ledger, restoresAll: boolean): Promise<void> {
  const pastes = await listAll(viewer, token);
  const digests = checkPairs(viewer, pastes);
  for (const paste of pastes) {
    const digest = digests.get(paste.id) ?? "";
    assert.equal(ledger.sent.get(digest), sizeOf(paste.original), `${paste.id} is a picture that was sent`);
  }
  assert.equal(new Set(digests.values()).size, digests.size, "no duplicates");
  const names = new Map(pastes.map(({ id, name }) => [id, name]));
  for (const [id, one] of ledger.known) {
    one.isBusy = false;
    const name = names.get(id);
    if (one.place === "here") assert.ok(name !== undefined, `${id} was confirmed, but is missing`);
    if (one.place === "removed") assert.equal(name, undefined, `${id} was removed, but is still there`);
    if (name === undefined) {
      one.place = "removed";
      if (restoresAll || Math.random() < 0.3) await checkRestored(viewer, token, id, one);
      continue;
    }
    one.place = "here";
    assert.equal(digests.get(id), one.digest, `the original of ${id}`);
    if (one.name !== undefined) assert.match(name, new RegExp(`^${one.name}(-\\d+)?$`));
  }
}

async function checkRestored(viewer: RunningViewer, token: string, id: string, one: Known): Promise<void> {
  const headers = { "x-viewer-token": token };
  const answer = await fetch(`${viewer.url}${PAGE_PATH}/${id}/restore`, { method: "POST", headers });
  const paste = (await answer.json()) as Paste;
  assert.equal(answer.status, 200, `${id} was removed, and cannot be restored: ${JSON.stringify(paste)}`);
  assert.equal(checkPair(viewer, paste), one.digest);
  one.place = "here";
}

test("kill -9 at random moments: confirmed changes and originals survive, pairs stay complete, no partial files are left", async (t) => {
  await using viewer = await startViewer();
  const ledger: Ledger = { sent: new Map(), known: new Map(), answered: 0, cutOff: 0 };
  const tokens = [await viewer.token()];
  let partialFiles = 0;
  const hasInterrupted = () => ledger.cutOff > 0 && partialFiles > 0;
  for (let turn = 1; turn <= (hasInterrupted() ? KILLS_AT_WORK : MAX_KILLS_AT_WORK); turn += 1) {
    const life = { isOver: false };
    const token = tokens[turn % tokens.length] ?? "";
    await Promise.all([
      killAtWork(viewer, ledger, life, turn),
      ...Array.from({ length: CLIENTS }, () => work(viewer, token, ledger, life)),
    ]);
    const left = viewer.incoming();
    partialFiles += left.length;
    if (turn % (KILLS_AT_WORK / KILLS_AT_START) === 0) await killAtStart(viewer);
    await viewer.start();
    // Compression may have resumed under the same temporary name; it removes that file itself.
    await until(() => !viewer.incoming().some((name) => left.includes(name)), `${left} are deleted`);
    tokens.push(await viewer.token());
    await check(viewer, token, ledger, turn >= KILLS_AT_WORK);
  }
  for (const token of tokens) await listAll(viewer, token);
  const pastes = await listAll(viewer, tokens[0] ?? "");
  checkPairs(viewer, pastes);
  t.diagnostic(
    `${tokens.length - 1} kills at work, ${ledger.answered} calls answered, ${ledger.cutOff} cut off, ` +
      `${partialFiles} partial files deleted, ${pastes.length} screenshots kept of ${ledger.sent.size} sent`,
  );
  assert.ok(hasInterrupted() && ledger.known.size > KILLS_AT_WORK, "it was killed during work");
});
