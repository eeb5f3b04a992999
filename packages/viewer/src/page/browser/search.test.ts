import assert from "node:assert/strict";
import { test } from "node:test";

const { createLatestQuery, nearOf } = await import(new URL("search.js", import.meta.url).href);

type Asked = { query: string; answer: (hits: string[]) => void; fail: (problem: Error) => void };

function start() {
  const asked: Asked[] = [];
  const told: string[] = [];
  let endPause = () => {};
  const search: (query: string) => void = createLatestQuery({
    wait: () =>
      new Promise<void>((resolve) => {
        endPause = resolve;
      }),
    ask: (query: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      asked.push({ query, answer: resolve, fail: reject });
      return promise;
    },
    onAnswer: (query: string, hits: string[]) => told.push(`${query}: ${hits.join()}`),
    onFault: (problem: Error) => told.push(problem.message),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    asked,
    told,
    search,
    settled,
    async pauseEnds() {
      endPause();
      await settled();
    },
  };
}

test("a word that is being typed is asked for once, when typing pauses", async () => {
  const { asked, told, search, settled, pauseEnds } = start();
  for (const query of ["d", "de", "dead"]) search(query);
  await pauseEnds();
  assert.equal(asked.length, 0, "it was typed during the pause");
  await pauseEnds();
  assert.deepEqual([asked.length, asked[0]?.query], [1, "dead"]);
  asked[0]?.answer(["a", "b"]);
  await settled();
  assert.deepEqual(told, ["dead: a,b"]);
});

test("one search at a time: an answer that is no longer wanted is dropped, and then the newest is asked for", async () => {
  const { asked, told, search, settled, pauseEnds } = start();
  search("dead");
  await pauseEnds();
  search("gate");
  search("gate driver");
  await settled();
  assert.equal(asked.length, 1);
  asked[0]?.answer(["old"]);
  await settled();
  await pauseEnds();
  assert.deepEqual([asked.length, asked[1]?.query], [2, "gate driver"]);
  asked[1]?.answer(["new"]);
  await settled();
  assert.deepEqual(told, ["gate driver: new"]);
});

test("a search that was taken back is not answered; the same words can be searched again, also after a fault", async () => {
  const { asked, told, search, settled, pauseEnds } = start();
  search("dead");
  await pauseEnds();
  search("");
  asked[0]?.answer(["late"]);
  await settled();
  assert.deepEqual(told, []);
  search("dead");
  await pauseEnds();
  asked[1]?.fail(new Error("away"));
  await settled();
  search("dead");
  await pauseEnds();
  asked[2]?.answer(["a"]);
  await settled();
  assert.deepEqual(told, ["away", "dead: a"]);
});

test("near in time: at most four of the hour before the first, none that was found", () => {
  const at = (minutes: number, id = `at-${minutes}`) => ({
    id,
    pastedAt: new Date(Date.UTC(2026, 7, 8, 12, minutes)).toISOString(),
  });
  const hits = [{ paste: at(60, "first") }, { paste: at(55, "second") }];
  const older = [at(58), at(55, "second"), at(40), at(0), at(-1)];
  const near = (pastes: object[]) => nearOf(hits, pastes).map(({ id }: { id: string }) => id);
  assert.deepEqual(near(older), ["at-58", "at-40", "at-0"]);
  assert.equal(near([1, 2, 3, 4, 5].map((minutes) => at(minutes))).length, 4);
});
