import assert from "node:assert/strict";
import { test } from "node:test";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createWledReader } from "./wled.ts";

test("a strip is there when it speaks; a command is reached when its brightness is what was asked", async () => {
  const { reader, say, heard, declared, sent } = startReader(createWledReader);
  say("wled/a1b2c3/status", "online");
  say("wled/a1b2c3/g", "128");
  say("wled/a1b2c3/c", "#FF8000");
  say("wled/a1b2c3/g", "300");
  assert.equal(declared.get("wled-a1b2c3")?.capabilities[0]?.kind, "led");
  assert.deepEqual(heard().slice(2), [
    'wled-a1b2c3/led {"on":true,"brightness_pct":50}',
    'wled-a1b2c3/led {"rgb":[255,128,0]}',
    "wled-a1b2c3 refused: g cannot be read",
  ]);
  const answer = reader.command("wled-a1b2c3", "led", { id: "1", name: "set", params: { brightness_pct: 100 } });
  await new Promise(setImmediate);
  assert.deepEqual(sent, ['wled/a1b2c3/api={"on":true,"bri":255}']);
  say("wled/a1b2c3/g", "255");
  assert.equal((await answer).ok, true);
  say("wled/a1b2c3/status", "offline");
  assert.equal(heard().at(-1), "wled-a1b2c3 is lost");
});

const setTo = (brightness_pct: number) => ({ id: "1", name: "set", params: { brightness_pct } });

test("a strip that is already so has to say it again; if it does not, the answer says that it was only sent", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { reader, say } = startReader(createWledReader);
  say("wled/a1/g", "255");
  let isAccepted = false;
  const silent = reader.command("wled-a1", "led", setTo(100), () => {
    isAccepted = true;
  });
  await new Promise(setImmediate);
  assert.equal(isAccepted, true);
  t.mock.timers.tick(1_000);
  assert.deepEqual([(await silent).ok, (await silent).reached], [true, false]);
  const answered = reader.command("wled-a1", "led", setTo(100));
  await new Promise(setImmediate);
  say("wled/a1/g", "255");
  assert.deepEqual([(await answered).ok, (await answered).reached], [true, undefined]);
});

test("what a broker outside has retained is what was, and answers no command", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { reader, say, heard } = startReader(createWledReader);
  say("wled/a1/g", "128", true);
  assert.equal(heard().at(-1), 'wled-a1/led was {"on":true,"brightness_pct":50}');
  const answer = reader.command("wled-a1", "led", setTo(100));
  await new Promise(setImmediate);
  say("wled/a1/g", "255", true);
  t.mock.timers.tick(2_000);
  assert.equal((await answer).code, "no-answer");
});

testHostile("wled", createWledReader, [
  ["wled/a1/status", "online"],
  ["wled/a1/g", "255"],
  ["wled/a1/c", "#FF8000"],
]);
