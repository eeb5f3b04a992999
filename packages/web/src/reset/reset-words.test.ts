import assert from "node:assert/strict";
import { test } from "node:test";
import { doneWords, endingWords, linkWords, repeatFault } from "./reset-words.ts";

const now = new Date(2026, 6, 28, 14, 22);
const link = {
  name: "mara",
  made_by: "owner",
  created_at: new Date(2026, 6, 28, 14, 10).toISOString(),
  expires_at: new Date(2026, 6, 28, 15, 10).toISOString(),
  sessions: 3,
  api_keys: 1,
};

test("a reset link says who made it and how long it works", () => {
  assert.equal(linkWords(link, now), "owner made this link at 14:10; it works once and for 48 more minutes.");
  const last = { ...link, made_by: null, expires_at: new Date(now.getTime() + 1_000).toISOString() };
  assert.equal(
    linkWords(last, now),
    "This link was made on the machine at 14:10; it works once and for 1 more minute.",
  );
});

test("a link that was made in this very second works for an hour, not for 61 minutes", () => {
  const justMade = { ...link, expires_at: new Date(now.getTime() + 3_600_900).toISOString() };
  assert.match(linkWords(justMade, now), /for 60 more minutes\.$/);
});

test("what ends is counted, before and after", () => {
  assert.match(endingWords(link), /: 3 sessions and 1 API key\. /);
  assert.match(endingWords({ ...link, sessions: 0, api_keys: 0 }), /Nothing else/);
  const ended = { name: "mara", ended_sessions: 1, ended_api_keys: 0 };
  assert.equal(doneWords(ended), "1 session ended. You are signed in here as mara.");
  assert.equal(doneWords({ ...ended, ended_sessions: 0 }), "You are signed in here as mara.");
});

test("a password that is typed differently the second time is refused", () => {
  assert.match(repeatFault("correct-horse", "correct-hors") ?? "", /do not match/);
  assert.equal(repeatFault("same", "same"), undefined);
});
