import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clock,
  clockWithSeconds,
  countdown,
  ends,
  happened,
  lastUse,
  lengthOf,
  longDate,
  shortDate,
  waitOf,
} from "./times.ts";

const now = new Date(2026, 10, 15, 14, 32, 10);
const earlier = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test("a time today is shown without its day, any other with it", () => {
  const at = new Date(2026, 10, 5, 9, 7);
  assert.equal(clock(at, new Date(2026, 10, 5, 23, 59)), "09:07");
  assert.equal(clock(at, new Date(2026, 10, 6, 0, 1)), "5 Nov 09:07");
  assert.equal(clockWithSeconds(new Date(2026, 10, 5, 9, 7, 3)), "09:07:03");
});

test("dates are short in tables and long in sentences", () => {
  assert.equal(shortDate(new Date(2027, 1, 13)), "13 Feb 2027");
  assert.equal(longDate(new Date(2027, 1, 13)), "13 February 2027");
});

test("the last use is more exact the more recent it is", () => {
  assert.equal(lastUse(now, now), "now");
  assert.equal(lastUse(earlier(59), now), "now");
  assert.equal(lastUse(earlier(60), now), "1 min ago");
  assert.equal(lastUse(earlier(59 * 60 + 59), now), "59 min ago");
  assert.equal(lastUse(new Date(2026, 10, 15, 9, 5), now), "09:05");
  assert.equal(lastUse(new Date(2026, 10, 14, 23, 59), now), "yesterday");
  assert.equal(lastUse(new Date(2026, 10, 13, 23, 59), now), "13 Nov 2026");
});

test("a server whose clock is a little ahead counts as now", () => {
  assert.equal(lastUse(earlier(-30), now), "now");
  assert.equal(happened(earlier(-30), now), "just now");
});

test("today and yesterday are shown with the time", () => {
  assert.equal(happened(earlier(5), now), "just now");
  assert.equal(happened(new Date(2026, 10, 15, 14, 2), now), "today 14:02");
  assert.equal(happened(new Date(2026, 10, 14, 8, 0), now), "yesterday 08:00");
  assert.equal(happened(new Date(2026, 10, 2), now), "2 Nov 2026");
});

test("an end today or tomorrow is shown with the time, a later one as a date", () => {
  assert.equal(ends(new Date(2026, 10, 15, 15, 20), now), "today 15:20");
  assert.equal(ends(new Date(2026, 10, 16, 15, 20), now), "tomorrow 15:20");
  assert.equal(ends(new Date(2027, 1, 13), now), "13 Feb 2027");
  assert.equal(ends(new Date(2027, 1, 13), now, longDate), "13 February 2027");
});

test("a length is shown in its largest whole unit", () => {
  assert.equal(lengthOf(7_776_000), "90 days");
  assert.equal(lengthOf(86_400), "1 day");
  assert.equal(lengthOf(36 * 3_600), "36 hours");
  assert.equal(lengthOf(3_600), "1 hour");
  assert.equal(lengthOf(90 * 60), "90 minutes");
  assert.equal(lengthOf(60), "1 minute");
  assert.equal(lengthOf(61), "61 seconds");
});

test("a wait is rounded up", () => {
  assert.equal(waitOf(0), "1 second");
  assert.equal(waitOf(40), "40 seconds");
  assert.equal(waitOf(91), "2 minutes");
  assert.equal(waitOf(121), "3 minutes");
  assert.equal(waitOf(2 * 3_600 + 1), "3 hours");
});

test("a countdown shows minutes and seconds and stops at zero", () => {
  assert.equal(countdown(860_000), "14:20");
  assert.equal(countdown(9_001), "0:10");
  assert.equal(countdown(-5), "0:00");
});
