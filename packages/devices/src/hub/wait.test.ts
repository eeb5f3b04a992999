import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type Waited } from "@backplane/contract/devices";
import { openWithMotor } from "../testing/with-motor.ts";

test("a program waits for a value: one that is there, one that comes, one that comes for a moment only", async (t) => {
  const { json, call, motor } = await openWithMotor(t);
  const wait = (query: string) => json<Waited>(`/motor-1/motor/wait?${query}`);

  const { reached, at } = await wait("timeoutMs=0");
  assert.deepEqual([reached, at], [false, null], "nothing was measured yet");
  /** Again and again, because nobody knows when a call has arrived. */
  const during = async (waiting: Promise<Waited>, ...values: number[]): Promise<Waited> => {
    let isOver = false;
    const over = waiting.finally(() => {
      isOver = true;
    });
    while (!isOver) for (const value of values) await motor.sample({ value });
    return over;
  };
  const next = await during(wait("timeoutMs=30000"), 1);
  assert.deepEqual([next.reached, next.fields], [true, { value: 1 }]);
  assert.deepEqual(
    [(await wait("field=value&above=0.5")).reached, (await wait("field=value&equals=1")).reached],
    [true, true],
  );
  const later = await wait("field=value&below=0&timeoutMs=50");
  assert.deepEqual([later.reached, later.fields], [false, { value: 1 }]);

  const peak = await during(wait("field=value&above=100&timeoutMs=30000"), 1, 500, 2, 3);
  assert.deepEqual([peak.reached, peak.fields.value], [true, 500]);

  for (const query of ["above=1", "field=value", "field=value&above=x", "timeoutMs=30001"]) {
    assert.equal((await call("GET", `/motor-1/motor/wait?${query}`)).status, 400, query);
  }
  assert.equal((await call("GET", "/motor-1/nothing/wait")).status, 404);
});

test("a wait ends with the access of its caller, and a workspace has 50 of them", async (t) => {
  const { json, call, workspaces } = await openWithMotor(t);
  const open = Array.from({ length: DEVICES_LIMITS.maxWaits + 1 }, () =>
    call("GET", "/motor-1/motor/wait?timeoutMs=30000"),
  );
  const refused = await Promise.race(open);
  assert.equal(refused.status, 429);
  workspaces.endAccessOf("ada");
  const statuses = (await Promise.all(open)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, DEVICES_LIMITS.maxWaits);
  assert.equal((await json<Waited>("/motor-1/motor/wait?timeoutMs=0")).reached, false);
});
