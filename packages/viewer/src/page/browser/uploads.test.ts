import assert from "node:assert/strict";
import { test } from "node:test";

const { createQueue } = await import(new URL("uploads.js", import.meta.url).href);
const { ViewerFault } = await import(new URL("faults.js", import.meta.url).href);

type Sent = {
  name: string;
  resolve: (paste: object) => void;
  reject: (fault: Error) => void;
  onSent: (n: number) => void;
};

function startQueue() {
  const sent: Sent[] = [];
  const told: string[] = [];
  let nowMs = 0;
  const queue = createQueue({
    now: () => nowMs,
    send: ({ name }: { name: string }, onSent: Sent["onSent"]) => {
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      sent.push({ name, resolve, reject, onSent });
      return promise;
    },
    onChange: () => {},
    onSaved: (job: { image: { name: string } }, _paste: object, ms: number) => told.push(`${job.image.name} ${ms}`),
    onFault: (job: { image: { name: string } }, fault: { code: string }) =>
      told.push(`${job.image.name} ${fault.code}`),
  });
  const add = (name: string) => queue.add({ name, size: 100 }, `blob:${name}`);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { queue, sent, told, add, pass, settled };
}

test("several images are sent one after the other, in order", async () => {
  const { queue, sent, told, add, pass, settled } = startQueue();
  for (const name of ["a", "b", "c"]) add(name);
  assert.deepEqual([sent.length, queue.waiting()], [1, 2]);
  pass(400);
  sent[0]?.resolve({});
  await settled();
  sent[1]?.resolve({});
  await settled();
  sent[2]?.resolve({});
  await settled();
  assert.deepEqual(told, ["a 400", "b 400", "c 400"]);
  assert.deepEqual(queue.jobs(), []);
});

test("an image that is sent completely is being saved", () => {
  const { queue, sent, add } = startQueue();
  add("a");
  sent[0]?.onSent(40);
  assert.deepEqual([queue.jobs()[0].stage, queue.jobs()[0].sentBytes], ["sending", 40]);
  sent[0]?.onSent(100);
  assert.equal(queue.jobs()[0].stage, "saving");
});

test("while the viewer is away, images are kept until somebody tries again", async () => {
  const { queue, sent, told, add, settled } = startQueue();
  add("a");
  add("b");
  sent[0]?.reject(new ViewerFault("unreachable"));
  await settled();
  sent[1]?.reject(new ViewerFault("unreachable"));
  await settled();
  assert.equal(queue.kept().length, 2);
  queue.tryAgain();
  sent[2]?.resolve({});
  await settled();
  sent[3]?.resolve({});
  await settled();
  assert.deepEqual(told, ["a unreachable", "b unreachable", "a 0", "b 0"]);
});

test("a file that is not an image is dropped, and the next one is sent", async () => {
  const { queue, sent, add, settled } = startQueue();
  add("a");
  add("b");
  sent[0]?.reject(new ViewerFault("not-an-image"));
  await settled();
  assert.deepEqual([queue.kept().length, queue.jobs().length, sent.length], [0, 1, 2]);
});

test("kept images can be discarded, and at most twenty wait", async () => {
  const { queue, sent, add, settled } = startQueue();
  for (let count = 0; count < 20; count += 1) assert.ok(add(`image ${count}`).job);
  assert.equal(add("one more").fault.code, "too-many-waiting");
  sent[0]?.reject(new ViewerFault("disk-full"));
  await settled();
  assert.equal(queue.discard().length, 1);
  assert.ok(add("one more").job);
});
