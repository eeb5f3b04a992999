import assert from "node:assert/strict";
import { test } from "node:test";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createHomieReader } from "./homie.ts";

const sample = { type: "object", properties: { velocity_rad_s: { type: "number", minimum: -200, maximum: 200 } } };
const commandOf = (name: string, effect: string, properties = {}) => ({
  properties: { name: { const: name }, params: { type: "object", properties, required: Object.keys(properties) } },
  "x-effect": effect,
});
const velocity = commandOf("velocity", "moves", { velocity_rad_s: { type: "number" } });
const MOTOR = {
  homie: "5.0",
  version: 1,
  name: "Motor",
  "x-maker": "Backplane",
  nodes: {
    motor: {
      type: "motor",
      properties: {
        sample: { datatype: "json", retained: false, format: JSON.stringify(sample) },
        command: {
          datatype: "json",
          settable: true,
          retained: false,
          format: JSON.stringify({
            oneOf: [velocity, commandOf("idle", "none"), { properties: { name: { const: "x" } } }],
          }),
        },
        ack: { datatype: "json", retained: false },
      },
    },
    // Properties as in the examples of the Homie 5 specification.
    lamp: {
      name: "Lamp",
      type: "light",
      properties: {
        power: { datatype: "boolean", settable: true },
        temperature: { datatype: "float", unit: "°F", format: "32:212" },
        mode: { datatype: "enum", format: "day,night", settable: true },
      },
    },
  },
};

function startMotor(options = {}) {
  const started = startReader(createHomieReader, options);
  started.say("homie/5/m1/$state", "init");
  started.say("homie/5/m1/$description", MOTOR);
  started.say("homie/5/m1/$state", "ready");
  return started;
}

test("a device is declared with kinds, fields, units, limits and effects", () => {
  const { declared, heard } = startMotor();
  const { name, maker, capabilities } = declared.get("m1") ?? assert.fail();
  assert.deepEqual([name, maker], ["Motor", "Backplane"]);
  const [motor, lamp] = capabilities;
  assert.deepEqual(motor?.fields, { velocity_rad_s: { datatype: "number", unit: "rad/s", min: -200, max: 200 } });
  const effects = Object.entries(motor?.commands ?? {}).map(([id, { effect }]) => `${id} ${effect}`);
  assert.deepEqual(effects, ["velocity moves", "idle none", "x moves"]);
  assert.deepEqual(lamp?.fields.temperature_c, { datatype: "number", unit: "°C", min: 0, max: 100 });
  assert.equal(lamp?.commands.power?.effect, "changes");
  assert.deepEqual(heard(), ["m1 is init", "m1 is ready"]);
});

test("samples, values, alerts and lines; what is wrong is refused by name, and old samples are left out", () => {
  const { say, heard } = startMotor();
  heard();
  say("homie/5/m1/motor/sample", { t_ms: 1_700_000_000_000, velocity_rad_s: 5 });
  say("homie/5/m1/motor/sample", { velocity_rad_s: 6 }, true);
  say("homie/5/m1/lamp/temperature", "77");
  say("homie/5/m1/lamp/power", "true");
  say("homie/5/m1/$alert/hot", "Too hot");
  say("homie/5/m1/$alert/hot", "");
  say("homie/5/m1/$log/warn", "planner: late");
  say("homie/5/m1/$log/info", { source: "arm", text: "done", fields: { n: 1 } });
  assert.deepEqual(heard(), [
    'm1/motor {"velocity_rad_s":5} at 1700000000000',
    'm1/lamp {"temperature_c":25}',
    'm1/lamp {"power":true}',
    "m1 alert hot: Too hot",
    "m1 alert hot: null",
    "m1 warn planner: late",
    "m1 info arm: done",
  ]);
  for (const text of ["{", "[1]", '{"a":1e999}', `{"a":${"[".repeat(20)}${"]".repeat(20)}}`]) {
    say("homie/5/m1/motor/sample", text);
    assert.match(heard().join(), /^m1 refused: motor\/sample cannot be used: /);
  }
  for (const [property, text] of [
    ["temperature", "NaN"],
    ["temperature", "Infinity"],
    ["power", "on"],
    ["mode", "dusk"],
    ["other", "1"],
  ] as const) {
    say(`homie/5/m1/lamp/${property}`, text);
    assert.match(heard().join(), /^m1 refused: lamp\//, property);
  }
});

test("a command is answered by its ack: done, refused with the device's code, or no answer", async () => {
  const { reader, say, sent } = startMotor();
  const ask = (id: string) => reader.command("m1", "motor", { id, name: "velocity", params: { velocity_rad_s: 5 } });
  const done = ask("1");
  const denied = ask("2");
  await Promise.resolve();
  assert.deepEqual(sent, [
    'homie/5/m1/motor/command/set={"id":"1","name":"velocity","params":{"velocity_rad_s":5}}',
    'homie/5/m1/motor/command/set={"id":"2","name":"velocity","params":{"velocity_rad_s":5}}',
  ]);
  say("homie/5/m1/motor/ack", { id: "2", ok: false, code: "out-of-limits" });
  say("homie/5/m1/motor/ack", { id: "1", ok: true }, true);
  say("homie/5/m1/motor/ack", { id: "1", ok: true });
  assert.deepEqual([(await done).ok, (await denied).code], [true, "out-of-limits"]);
  assert.equal((await ask("3")).code, "no-answer");
  assert.equal((await reader.command("m1", "motor", { id: "4", name: "fly", params: {} })).code, "unsupported");
  say("homie/5/m1/$state", "lost");
  assert.equal((await ask("5")).code, "device-lost");
});

test("a device says how what it reached differs from what was asked; what is not text is no detail", async () => {
  const { reader, say } = startMotor();
  const ask = (id: string) => reader.command("m1", "motor", { id, name: "velocity", params: { velocity_rad_s: 5 } });
  const [held, odd] = [ask("1"), ask("2")];
  say("homie/5/m1/motor/ack", { id: "1", ok: true, detail: "62 %, current budget" });
  say("homie/5/m1/motor/ack", { id: "2", ok: true, detail: { toString: 1 } });
  assert.deepEqual([(await held).ok, (await held).detail], [true, "62 %, current budget"]);
  assert.deepEqual([(await odd).ok, (await odd).detail], [true, undefined]);
});

test("a plain property: $target is accepted, its value is reached", async () => {
  const { reader, say, sent } = startMotor();
  const stages: string[] = [];
  const answer = reader.command("m1", "lamp", { id: "1", name: "power", params: { value: true } }, () =>
    stages.push("accepted"),
  );
  await Promise.resolve();
  assert.deepEqual(sent, ["homie/5/m1/lamp/power/set=true"]);
  say("homie/5/m1/lamp/power/$target", "false");
  assert.deepEqual(stages, []);
  say("homie/5/m1/lamp/power/$target", "true");
  assert.deepEqual(stages, ["accepted"]);
  say("homie/5/m1/lamp/power", "true");
  assert.equal((await answer).ok, true);
});

test("a stop sends idle again and again until it is answered, and nothing to a lamp", async () => {
  const { reader, say, sent } = startMotor();
  const answer = reader.stop("m1");
  while (sent.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  const { id, name } = JSON.parse(sent[0]?.split("=")[1] ?? "");
  assert.equal(name, "idle");
  assert.equal(new Set(sent).size, 1);
  say("homie/5/m1/motor/ack", { id, ok: true });
  assert.equal((await answer).ok, true);
});

test("a description that changes while the device is ready: commands wait for the next ready", async () => {
  const { reader, say, sent } = startMotor();
  say("homie/5/m1/$description", { ...MOTOR, version: 2 });
  const answer = reader.command("m1", "motor", { id: "1", name: "idle", params: {} });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(sent, []);
  say("homie/5/m1/$state", "ready");
  while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  say("homie/5/m1/motor/ack", { id: "1", ok: true });
  assert.equal((await answer).ok, true);
});

test("a second device with an id is -2, has an alert and gets no commands", async () => {
  const { reader, heard, declared } = startMotor({ taken: ["m1"] });
  assert.ok(declared.has("m1-2"));
  assert.match(heard().join("\n"), /m1-2 alert same-id/);
  assert.equal((await reader.command("m1-2", "motor", { id: "1", name: "idle", params: {} })).code, "denied");
});

testHostile("homie", createHomieReader, [
  ["homie/5/m1/$description", JSON.stringify(MOTOR)],
  ["homie/5/m1/$state", "ready"],
  ["homie/5/m1/motor/sample", '{"t_ms":1,"velocity_rad_s":5}'],
  ["homie/5/m1/motor/ack", '{"id":"1","ok":true}'],
  ["homie/5/m1/lamp/temperature", "77"],
  ["homie/5/m1/$log/warn", "planner: late"],
]);
