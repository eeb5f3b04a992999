import assert from "node:assert/strict";
import { test } from "node:test";
import { createPushDesk } from "./desk.ts";

/** A desk whose offers are answered when the test says so. */
function open() {
  const answers: (() => void)[] = [];
  let [taken, open] = [0, 0];
  const desk = createPushDesk(
    {
      receive() {
        open += 1;
        const { promise: sdp, resolve } = Promise.withResolvers<string | undefined>();
        answers.push(() => resolve("v=0"));
        const end = () => {
          open -= 1;
        };
        return { sdp, answered() {}, want() {}, end };
      },
    },
    () => {},
  );
  const begin = (key: string) => {
    taken += 1;
    return desk.begin(key, "v=0", () => {
      taken -= 1;
    });
  };
  const answer = () => {
    for (const one of answers.splice(0)) one();
  };
  return { desk, begin, answer, counts: () => ({ taken, open }) };
}

test("of very many who push to one stream at the same moment, all but one give their places back", async () => {
  const { desk, begin, answer, counts } = open();
  const begun = Array.from({ length: 20 }, () => begin("w a"));
  answer();
  const ids = new Set((await Promise.all(begun)).map((one) => one?.pusher));
  assert.deepEqual([ids.size, counts()], [20, { taken: 1, open: 1 }]);
  desk.end(() => true);
  assert.deepEqual(counts(), { taken: 0, open: 0 });
});

test("who is being answered while the stream is changed does not push to it", async () => {
  const { desk, begin, answer, counts } = open();
  const [changed, other] = [begin("w a"), begin("w b")];
  desk.end((key) => key === "w a");
  answer();
  assert.equal(await changed, undefined);
  assert.ok(await other);
  assert.deepEqual(counts(), { taken: 1, open: 1 });
});
