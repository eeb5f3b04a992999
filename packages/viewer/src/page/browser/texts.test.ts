import assert from "node:assert/strict";
import { test } from "node:test";

const { bytesInWords, timeInWords, dayInWords, percentOf, endingOf, fileNameOf } = await import(
  new URL("texts.js", import.meta.url).href
);
const { keptInWords, uploadInWords, outcomeInWords, nameHint, isNamedAfter, isFirstName } = await import(
  new URL("texts.js", import.meta.url).href
);

test("sizes read as people say them", () => {
  const said = [0, 512, 219_000, 1_023.7 * 1024, 1_153_434, 33_554_432].map((bytes) => bytesInWords(bytes));
  assert.deepEqual(said, ["0 bytes", "512 bytes", "214 KB", "1 MB", "1.1 MB", "32 MB"]);
});

test("times are rounded to a tenth of a second, and never to zero", () => {
  assert.deepEqual(
    [3, 420, 1_400, 9_960, 61_000, 180_000].map((ms) => timeInWords(ms)),
    ["0.1 s", "0.4 s", "1.4 s", "10 s", "61 s", "3 min"],
  );
});

test("the day of a screenshot is as short as it can be", () => {
  const now = new Date("2026-03-01T12:30:00");
  const said = ["2026-03-01T09:05:00", "2026-02-28T23:59:00", "2026-02-27T12:00:00", "2025-12-31T12:00:00"].map((at) =>
    dayInWords(new Date(at), now),
  );
  assert.deepEqual(said, ["09:05", "yesterday", "27 Feb", "31 Dec 2025"]);
});

const file = (width: number, height: number, bytes: number) => ({ path: "screenshots/sp/a.png", width, height, bytes });

test("the percentage is that of the bytes; an unchanged file has none", () => {
  assert.equal(percentOf({ optimized: file(1568, 882, 610), original: file(2560, 1440, 1_000) }), 61);
  assert.equal(percentOf({ optimized: file(100, 100, 1), original: file(200, 200, 100_000) }), 1);
  assert.equal(percentOf({ optimized: file(100, 100, 500), original: file(100, 100, 500) }), undefined);
  assert.equal(percentOf({ optimized: file(100, 100, 400), original: file(100, 100, 500) }), 80);
  assert.equal(endingOf({ optimized: file(1568, 882, 1) }), "-1568x882.png");
  assert.equal(fileNameOf("screenshots/sp/a.png"), "a.png");
});

const job = { stage: "sending", bytes: 1_153_434, sentBytes: 461_374, startedMs: 1_000 };

test("an upload shows its progress after 300 ms", () => {
  assert.equal(uploadInWords(job, { nowMs: 1_200, waiting: 0 }), "Sending");
  assert.equal(uploadInWords(job, { nowMs: 1_400, waiting: 0 }), "Sending 1.1 MB, 40 %");
  assert.equal(uploadInWords(job, { nowMs: 1_400, waiting: 2 }), "Sending 1.1 MB, 40 %, 2 more to come");
  assert.equal(uploadInWords({ ...job, stage: "saving" }, { nowMs: 1_400, waiting: 0 }), "Saving");
  assert.equal(uploadInWords({ ...job, stage: "kept" }, { nowMs: 1_400, waiting: 0 }), "Not saved yet");
});

test("a kept image is called by its file name or its size, unless it is the one shown", () => {
  const kept = (name: string, pixels?: object) => ({ image: { name }, pixels });
  const whoOf = (one: object) => keptInWords([one], undefined).who;
  assert.equal(whoOf(kept("board.png", { width: 10, height: 10 })), "board.png");
  assert.equal(whoOf(kept("image.png", { width: 1_900, height: 1_180 })), "The 1900 × 1180 image");
  assert.equal(whoOf(kept("image.png")), "The earlier image");
  assert.equal(whoOf(kept("")), "The earlier image");
  const shown = kept("image.png");
  assert.equal(keptInWords([shown], shown), undefined);
  assert.equal(keptInWords([], undefined), undefined);
  assert.deepEqual(keptInWords([shown, kept("")], shown), { who: "2 images", areMany: true });
});

test("the strip says saved, then named, and how long each took", () => {
  const now = new Date("2026-08-08T12:30:00");
  const paste = { status: "naming", namedBy: null, pastedAt: "2026-08-08T12:05:00" };
  const named = { ...paste, status: "named", namedBy: "text" };
  const say = (one: object, timing?: object, isRenamed = false) => outcomeInWords(one, { timing, now, isRenamed });
  assert.equal(say(paste, { savedMs: 400 }), "Saved in 0.4 s, naming …");
  assert.equal(say(named, { savedMs: 400, namedMs: 1_400 }), "Saved and named in 1.4 s");
  assert.equal(say({ ...named, namedBy: null }, { savedMs: 400 }), "Saved in 0.4 s, but no text was found to name it");
  assert.equal(say(named), "Pasted at 12:05");
  assert.equal(say(paste), "Pasted at 12:05, naming …");
  assert.equal(say({ ...named, pastedAt: "2026-08-07T09:00:00" }), "Pasted 7 Aug at 09:00");
  assert.equal(say(named, undefined, true), "Renamed both files");
});

test("the hint explains why the button is disabled, and says when a name arrived while somebody typed", () => {
  const hint = (changes: object) =>
    nameHint({ value: "a", shownName: "a", name: "a", status: "named", namedBy: "text", ...changes });
  assert.equal(hint({}), "Both files have this name.");
  assert.equal(hint({ value: " " }), "A name needs a letter or a digit.");
  assert.equal(hint({ value: "b" }), "");
  assert.equal(
    hint({ value: "mine", shownName: "sp-1", name: "gate" }),
    "It was just named gate. Yours will replace that.",
  );
  assert.equal(hint({ status: "naming", namedBy: "you" }), "Both files have this name.");
  assert.equal(hint({ status: "naming", namedBy: null }), "Looking for a name. If you type one, yours is used.");
  assert.equal(hint({ namedBy: null }), "This name is only the time. Type a better one.");
});

test("a suggestion is the current name even if that got a number", () => {
  assert.equal(isNamedAfter("gate-driver", "gate-driver"), true);
  assert.equal(isNamedAfter("gate-driver-2", "gate-driver"), true);
  assert.equal(isNamedAfter("gate-driver-two", "gate-driver"), false);
  assert.equal(isNamedAfter("gate", "gate-driver"), false);
  assert.equal(isFirstName("sp-20260808-120500-123"), true);
  assert.equal(isFirstName("sp-bench"), false);
});
