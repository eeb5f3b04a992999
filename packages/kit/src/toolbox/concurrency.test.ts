import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createListeners, limitConcurrency, queueByKey } from "./concurrency.ts";

/** Counts how many of its tasks run at the same time. */
function counter() {
  const seen = { running: 0, most: 0, order: [] as number[] };
  const task = (number: number) => async () => {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    seen.order.push(number);
    await nextTurn();
    seen.running -= 1;
    return number;
  };
  return { seen, task };
}

test("at most `atOnce` tasks run at a time, the others in the order in which they came", async () => {
  const { seen, task } = counter();
  const run = limitConcurrency({ atOnce: 3 });
  const results = await Promise.all(Array.from({ length: 10 }, (_, number) => run(task(number))));
  assert.equal(seen.most, 3);
  assert.deepEqual(results, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(seen.order, results);
});

test("a task that fails gives its slot back and passes its error on", async () => {
  const run = limitConcurrency({ atOnce: 1 });
  const failing = run(() => Promise.reject(new Error("task")));
  const next = run(async () => "next");
  await assert.rejects(failing, /^Error: task$/);
  assert.equal(await next, "next");
});

test("a task that throws at once gives its slot back too", async () => {
  const run = limitConcurrency({ atOnce: 1 });
  await assert.rejects(
    run(() => {
      throw new Error("at once");
    }),
    /at once/,
  );
  assert.equal(await run(async () => "next"), "next");
});

test("a task too many is refused with the caller's own error, and later ones are taken again", async () => {
  const run = limitConcurrency({ atOnce: 1, maxWaiting: 1, whenFull: () => new RangeError("busy") });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = run(() => promise);
  const second = run(async () => "second");
  await assert.rejects(
    run(async () => "third"),
    RangeError,
  );
  resolve();
  await first;
  assert.equal(await second, "second");
  assert.equal(await run(async () => "fourth"), "fourth");
});

test("a newcomer does not overtake a task that waits", async () => {
  const { seen, task } = counter();
  const run = limitConcurrency({ atOnce: 1 });
  const first = run(task(1));
  const second = run(task(2));
  const third = first.then(() => run(task(3)));
  await Promise.all([second, third]);
  assert.deepEqual(seen.order, [1, 2, 3]);
  assert.equal(seen.most, 1);
});

test("tasks of one key run one after the other, tasks of other keys at the same time", async () => {
  const queue = queueByKey();
  const a = counter();
  const b = counter();
  await Promise.all([1, 2, 3].flatMap((number) => [queue.run("a", a.task(number)), queue.run("b", b.task(number))]));
  assert.deepEqual([a.seen.most, b.seen.most], [1, 1]);
  assert.deepEqual(
    [a.seen.order, b.seen.order],
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
  );
});

test("a failed task does not stop the queue of its key", async () => {
  const queue = queueByKey();
  const failing = queue.run("a", () => Promise.reject(new Error("task")));
  const next = queue.run("a", async () => "next");
  await assert.rejects(failing, /^Error: task$/);
  assert.equal(await next, "next");
});

test("a full queue refuses, counts the running task, and does not affect other keys", async () => {
  const queue = queueByKey({ maxWaiting: 2, whenFull: () => new RangeError("busy") });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.run("a", () => promise);
  const second = queue.run("a", () => promise);
  await assert.rejects(
    queue.run("a", () => promise),
    RangeError,
  );
  assert.equal(await queue.run("b", async () => "b"), "b");
  resolve();
  await Promise.all([first, second]);
  assert.equal(await queue.run("a", async () => "again"), "again");
});

test("idle resolves when nothing runs or waits, also for tasks that were added meanwhile", async () => {
  const queue = queueByKey();
  await queue.idle();
  const done: string[] = [];
  void queue.run("a", async () => {
    await nextTurn();
    done.push("first");
    void queue.run("b", async () => {
      await nextTurn();
      done.push("second");
    });
  });
  await queue.idle();
  assert.deepEqual(done, ["first", "second"]);
});

test("every listener hears an event, although one throws or removes itself", () => {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const listeners = createListeners<string>((error) => errors.push(error));
  const remove = listeners.add((event) => {
    heard.push(`once ${event}`);
    remove();
  });
  listeners.add(() => {
    throw new Error("listener");
  });
  listeners.add((event) => heard.push(event));
  listeners.emit("a");
  listeners.emit("b");
  assert.deepEqual(heard, ["once a", "a", "b"]);
  assert.equal(errors.length, 2);
  assert.equal(listeners.size, 2);
});

test("a function that was added twice is called twice and removed one by one", () => {
  const listeners = createListeners((error) => assert.ifError(error));
  let calls = 0;
  const listener = () => {
    calls += 1;
  };
  const remove = listeners.add(listener);
  listeners.add(listener);
  listeners.emit();
  remove();
  listeners.emit();
  assert.equal(calls, 3);
});
