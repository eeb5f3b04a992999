import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_EVENTS } from "@backplane/contract/gateway";
import type { ChildEvent } from "@backplane/kit/supervise";
import { createJournal } from "./journal.ts";

function keep(...events: ChildEvent[]) {
  const journal = createJournal(() => 0);
  for (const event of events) journal.child(event);
  return { journal, says: () => journal.events().map(({ says }) => says) };
}
const running: ChildEvent = { type: "running", pid: 7, url: "", afterMs: 1, facts: {} };

test("a gateway that is killed and comes back gives two events, newest first", () => {
  const reason = "ended by SIGKILL";
  const { says, journal } = keep(
    running,
    { type: "exited", pid: 7, reason },
    { type: "restarting", inMs: 0, attempt: 1, reason },
    { ...running, pid: 8 },
  );
  assert.deepEqual(says(), ["Gateway restarted, process 8", "Gateway ended by SIGKILL", "Gateway started, process 7"]);
  assert.deepEqual([journal.fault(), journal.nextAttempt()], [null, null]);
});

test("while it waits for the next attempt, the journal says when that is and why the gateway is down", () => {
  const { says, journal } = keep(
    { type: "exited", pid: 7, reason: "exited with code 3" },
    { type: "restarting", inMs: 0, attempt: 1, reason: "exited with code 3" },
    { type: "restarting", inMs: 1_900, attempt: 2, reason: "The way is blocked." },
  );
  assert.deepEqual(says(), ["Next attempt in 2 s", "The way is blocked.", "Gateway exited with code 3"]);
  assert.deepEqual(journal.nextAttempt(), { at: "1970-01-01T00:00:01.900Z" });
  assert.equal(journal.fault(), "The way is blocked.");
});

test("a gateway that is not restarted stays reported until it is stopped or runs", () => {
  const { journal, says } = keep({ type: "failed", reason: "exited with code 3; automatic restart is off" });
  assert.deepEqual(says(), ["Gave up: exited with code 3; automatic restart is off"]);
  assert.equal(journal.fault(), "Gateway exited with code 3; automatic restart is off");
  journal.child({ type: "stopped" });
  assert.equal(journal.fault(), null);
});

test("that it is down is reported once; that it did not start, every time", () => {
  const { journal, says } = keep(running);
  journal.isDown("failed 3 checks in a row");
  journal.child({ type: "exited", pid: 7, reason: "failed 3 checks in a row" });
  journal.didNotStart("gateway failed: no");
  journal.didNotStart("gateway failed: no");
  assert.deepEqual(says(), [
    "Gateway failed: no",
    "Gateway failed: no",
    "Gateway failed 3 checks in a row",
    "Gateway started, process 7",
  ]);
});

test("the newest 100 events are kept", () => {
  const { journal } = keep();
  for (let number = 0; number < 150; number += 1) journal.note(`event ${number}`);
  const kept = journal.events();
  assert.deepEqual([MAX_EVENTS, kept.length, kept[0]?.says], [100, 100, "event 149"]);
});
