import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

const open = (t: TestContext, settings = {}) =>
  openSourceForTest(t, { kind: "mavlink", settings: { localPort: 0, ...settings } });
type Bench = Awaited<ReturnType<typeof open>>;

const values = ({ model }: Bench) => model.last("bench", "drone")?.values ?? {};
const number = (bench: Bench, field: string) => Number(values(bench)[field] ?? Number.NaN);

async function inTheAir(bench: Bench, height_m = 1.5): Promise<void> {
  await bench.ready();
  await until("it knows where it is", () => values(bench).north_m !== undefined && values(bench).checks !== undefined);
  const armed = await bench.command("drone", "arm");
  assert.equal(armed.ok, true, armed.detail);
  const up = await bench.command("drone", "takeoff", { height_m });
  assert.equal(up.ok, true, up.detail);
}

test("a drone is found, measures, takes off, flies there, and lands", async (t) => {
  const bench = await open(t, { fenceM: 40 });
  const { model, simulator, command, source } = bench;
  await bench.ready();
  const device = model.device("bench");
  assert.deepEqual([device?.source, device?.maker], ["mavlink:bench", "ArduPilot"]);
  assert.equal(device?.capabilities[0]?.commands.velocity?.effect, "moves");
  await until("its state is known", () => values(bench).checks !== undefined && values(bench).link_ms !== undefined);
  assert.deepEqual([values(bench).armed, values(bench).mode, values(bench).satellites], [false, "Standby", 17]);
  assert.ok(Math.abs(number(bench, "battery_v") - Number(simulator.read("drone").battery_v)) < 0.1);
  assert.ok(Math.abs(number(bench, "lat_deg") - 47.397742) < 1e-4);
  assert.match((await command("drone", "takeoff", { height_m: 3 })).detail ?? "", /motors are off/);
  assert.match((await command("drone", "return")).detail ?? "", /on the ground/);
  await inTheAir(bench);
  assert.ok(Math.abs(Number(simulator.read("drone").height_m) - 1.5) < 0.6);
  const stages: string[] = [];
  const params = { north_m: 3, east_m: 2, height_m: 1.5 };
  const gone = await source.command("bench", "drone", { id: "go", name: "goto", params }, () =>
    stages.push("accepted"),
  );
  assert.deepEqual([gone.ok, stages], [true, ["accepted"]], gone.detail);
  assert.ok(Math.abs(Number(simulator.read("drone").north_m) - 3) < 2);
  const landed = await command("drone", "land");
  assert.equal(landed.ok, true, landed.detail);
  assert.deepEqual([simulator.read("drone").armed, simulator.read("drone").height_m], [false, 0]);
});

test("a drone is reached by TCP, too", async (t) => {
  const bench = await open(t, { protocol: "tcp" });
  await bench.ready();
  assert.equal((await bench.command("drone", "arm")).ok, true);
  await until("it says so", () => values(bench).armed === true);
  assert.equal((await bench.command("drone", "disarm")).ok, true);
});

test("a refusal has the drone's own reason", async (t) => {
  const bench = await open(t);
  const { simulator, command } = bench;
  await bench.ready();
  simulator.tell("satellites", 4);
  await until("it is not ready", () =>
    JSON.stringify(values(bench).checks ?? "").includes('{"name":"GPS","ok":false}'),
  );
  const refused = await command("drone", "arm");
  assert.deepEqual([refused.ok, refused.code], [false, "denied"]);
  assert.match(refused.detail ?? "", /^The drone refuses: Pre-arm check failed: GPS: 4 satellites/);
  simulator.tell("satellites", 12);
  await inTheAir(bench);
  assert.match((await command("drone", "disarm")).detail ?? "", /The drone refuses: It is in the air/);
});

test("it flies while it is told again; then it brakes and hovers, by a stop or by itself", async (t) => {
  const bench = await open(t);
  const { simulator, command, source } = bench;
  await inTheAir(bench);
  const speed = () => Math.hypot(Number(simulator.read("drone").north_m_s), Number(simulator.read("drone").east_m_s));
  const params = { forward_m_s: 3 };
  const steering = setInterval(() => void command("drone", "velocity", params, "held"), 100);
  t.after(() => clearInterval(steering));
  await until("it flies", () => speed() > 1.5);
  await until("that is shown", () => values(bench).mode === "Guided");
  clearInterval(steering);
  const stopped = await source.stop("bench");
  assert.equal(stopped.ok, true, stopped.detail);
  assert.equal(simulator.witnessed().at(-1)?.name, "hold");
  await until("it hovers", () => speed() < 0.6 && values(bench).mode === "Hold");
  assert.ok(Number(simulator.read("drone").height_m) > 0.8);
  assert.equal((await command("drone", "velocity", params)).ok, true);
  await until("nobody tells it again: it brakes by itself", () =>
    simulator.witnessed().some(({ what }) => what === "watchdog"),
  );
});

test("a stop does not end a landing; a stop on the ground switches the motors off", async (t) => {
  const bench = await open(t);
  const { simulator, command, source } = bench;
  await bench.ready();
  assert.equal((await command("drone", "arm")).ok, true);
  assert.equal((await source.stop("bench")).ok, true);
  await until("the motors are off", () => values(bench).armed === false);
  await inTheAir(bench);
  const landing = command("drone", "land");
  await until("it lands", () => values(bench).mode === "Land");
  assert.equal((await source.stop("bench")).ok, true);
  assert.equal(simulator.witnessed().at(-1)?.name, "land");
  await until("it is down", () => simulator.read("drone").armed === false);
  assert.equal((await landing).code, "stopped");
});

test("a drone that is not heard of is lost; it lands by itself, and is back when it is heard again", async (t) => {
  const bench = await open(t);
  const { model, simulator, statuses, isReady } = bench;
  await inTheAir(bench);
  simulator.setFault("lost", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.match(statuses.at(-1)?.reason ?? "", /Nothing was heard of the drone for 3 s/);
  await until("it lands by itself", () => simulator.read("drone").armed === false);
  simulator.setFault("lost", false);
  await until("it is back", isReady);
});

test("a pause of this process is not taken for silence of the drone: what was sent meanwhile is read first", async (t) => {
  const bench = await open(t);
  const { model, statuses } = bench;
  await inTheAir(bench);
  const landing = bench.command("drone", "land");
  await until("it lands", () => values(bench).mode === "Land");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
  assert.equal((await landing).ok, true, (await landing).detail);
  assert.equal(model.device("bench")?.state, "ready");
  const complaints = statuses.flatMap(({ reason }) => reason ?? []);
  assert.deepEqual(complaints, []);
});

test("a drone that only says that it does what it is told does not get there", async (t) => {
  const bench = await open(t);
  const { simulator, source } = bench;
  await bench.ready();
  simulator.setFault("lying", true);
  let isAccepted = false;
  const arming = source.command("bench", "drone", { id: "a", name: "arm", params: {} }, () => {
    isAccepted = true;
  });
  await until("it is accepted", () => isAccepted);
  assert.equal(simulator.read("drone").armed, false);
  await source.stop("bench");
  assert.deepEqual([(await arming).ok, (await arming).code], [false, "stopped"]);
});
