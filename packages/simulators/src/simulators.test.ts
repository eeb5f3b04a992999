import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { Aedes } from "aedes";
import { connectAsync } from "mqtt";
import { chipStatistics } from "./kinds/chip-statistics.ts";
import { imu } from "./kinds/imu.ts";
import { lineFollower } from "./kinds/line-follower.ts";
import { motor } from "./kinds/motor.ts";
import { oven } from "./kinds/oven.ts";
import { temperatures } from "./kinds/temperatures.ts";
import { timeOfFlight } from "./kinds/time-of-flight.ts";
import { ultraWideband } from "./kinds/ultra-wideband.ts";
import { ultrasonic } from "./kinds/ultrasonic.ts";
import { SIMULATED_KINDS } from "./kinds.ts";
import { randomOf, type SimulatedKind } from "./simulator.ts";
import { startSimulator } from "./start.ts";

const run = (physics: { step(seconds: number): void }, seconds: number) => {
  for (let i = 0; i < seconds * 10; i += 1) physics.step(0.1);
};

test("a motor reaches its velocity, stays there, and stops when it is idle", () => {
  const physics = motor.create(randomOf(1));
  assert.deepEqual(physics.command?.("motor", "velocity", { velocity_rad_s: 50 }), { ok: true });
  run(physics, 5);
  const running = physics.read("motor");
  assert.ok(Math.abs(Number(running.velocity_rad_s) - 50) < 1, JSON.stringify(running));
  assert.ok(Number(running.motor_c) > 23);
  physics.command?.("motor", "idle", {});
  run(physics, 60);
  assert.ok(Math.abs(Number(physics.read("motor").velocity_rad_s)) < 1);
  assert.deepEqual(physics.command?.("motor", "velocity", { velocity_rad_s: "fast" }), {
    ok: false,
    code: "not-a-number",
  });
});

test("what works gets warm, its neighbours less so, and the room stays as it is", () => {
  const physics = temperatures.create(randomOf(1));
  run(physics, 115);
  const { motor_c, gearbox_c, supply_c, room_c } = physics.read("temperatures") as Record<string, number>;
  assert.ok(
    (motor_c ?? 0) > (gearbox_c ?? 0) + 1 && (gearbox_c ?? 0) > (supply_c ?? 0) - 0.2,
    `${motor_c} ${gearbox_c} ${supply_c}`,
  );
  assert.ok(Math.abs((room_c ?? 0) - 22) < 1);
});

const listOf = (value: unknown): number[] => value as number[];

test("an IMU that is still measures gravity, the field and its faults; while it turns, its rates say so", () => {
  const physics = imu.create(randomOf(1));
  run(physics, 10);
  const still = physics.read("imu");
  assert.ok(Math.abs(Math.hypot(...listOf(still.accel_m_s2)) - 9.81) < 0.3, JSON.stringify(still));
  assert.ok(Math.hypot(...listOf(still.gyro_rad_s)) < 0.02, "only its bias");
  assert.ok(Math.abs(Math.hypot(...listOf(still.q)) - 1) < 0.01);
  run(physics, 21);
  assert.ok(Math.hypot(...listOf(physics.read("imu").gyro_rad_s)) > 0.3);
});

test("a time-of-flight sensor sees the ball before the wall, and does not believe its edges", () => {
  const physics = timeOfFlight.create(randomOf(1));
  run(physics, 4.5);
  const { distance_mm, status, grid } = physics.read("zones");
  const distances = listOf(distance_mm).filter((mm) => mm !== null);
  assert.ok(Math.min(...distances) < 350 && Math.max(...distances) > 1_200, String(distances));
  const words = status as string[];
  assert.ok(words.includes("edge") && words.includes("low-signal"));
  assert.deepEqual(grid, [8, 8]);
});

test("an ultrasonic sensor sweeps, loses echoes, and measures what the air of its temperature makes of the distance", () => {
  const physics = ultrasonic.create(randomOf(1));
  const pings = Array.from({ length: 240 }, () => {
    run(physics, 0.1);
    return physics.read("sonar");
  });
  const angles = pings.map(({ angle_deg }) => Number(angle_deg));
  assert.deepEqual([Math.min(...angles), Math.max(...angles)], [-75, 75]);
  assert.ok(pings.some(({ echo_us }) => echo_us === null) && pings.some(({ echo_us }) => echo_us !== null));
  for (const { distance_mm, echo_us } of pings)
    if (echo_us !== null) assert.ok(Math.abs(Number(distance_mm) - (Number(echo_us) * 343.2) / 2_000) < 3);
});

test("a line follower stays on its track, loses the line at the hole and finds it again, and learns its eyes anew", () => {
  const physics = lineFollower.create(randomOf(1));
  const seen = Array.from({ length: 400 }, () => {
    run(physics, 0.1);
    return physics.read("line");
  });
  const lost = seen.filter(({ on_line }) => on_line === false).length;
  assert.ok(lost > 0 && lost < 40, `lost ${lost} of 400`);
  assert.equal(seen.at(-1)?.on_line, true);
  const xs = seen.map(({ x_m }) => Number(x_m));
  assert.ok(Math.max(...xs) > 1.2 && Math.min(...xs) < -1.2, "it has been all around");
  physics.command?.("line", "calibrate", {});
  run(physics, 1);
  assert.equal(physics.read("line").calibrating, true);
  run(physics, 3);
  const { calibrating, min, max } = physics.read("line");
  assert.equal(calibrating, false);
  for (const [i, low] of listOf(min).entries()) assert.ok((listOf(max)[i] ?? 0) - low > 500, "line and floor differ");
});

test("a tag's ranges are right but for those through the wall, which are too long and weak", () => {
  const physics = ultraWideband.create(randomOf(1));
  const { anchors } = physics.read("tag");
  assert.equal((anchors as unknown[]).length, 5);
  let blocked = 0;
  for (let i = 0; i < 600; i += 1) {
    run(physics, 0.1);
    const { ranges, anchors: again } = physics.read("tag");
    assert.equal(Array.isArray(again), (i + 1) % 10 === 0);
    const strengths = (ranges as { distance_m: number; rssi_dbm: number }[]).map(
      ({ distance_m, rssi_dbm }) => rssi_dbm + 20 * Math.log10(distance_m),
    );
    if (Math.min(...strengths) < -71) blocked += 1;
  }
  assert.ok(blocked > 20 && blocked < 580, String(blocked));
});

test("an oven follows its profile, refuses a second run and one that makes no sense, and cools when it is aborted", () => {
  const physics = oven.create(randomOf(1));
  const times_s = [0, 75, 165, 230, 245, 330];
  const temperatures_c = [25, 150, 180, 245, 245, 100];
  const start = (times: number[]) => physics.command?.("oven", "start", { times_s: times, temperatures_c });
  assert.equal(start(times_s.toReversed())?.ok, false);
  assert.deepEqual(start(times_s), { ok: true });
  assert.equal(start(times_s)?.ok, false);
  let worst = 0;
  for (let i = 0; i < 32; i += 1) {
    run(physics, 10);
    const { board_c, target_c } = physics.read("oven");
    worst = Math.max(worst, Math.abs(Number(board_c) - Number(target_c)));
  }
  assert.ok(worst < 25, `${worst} °C from its profile`);
  physics.command?.("oven", "abort", {});
  assert.deepEqual([physics.read("oven").run, physics.read("oven").stage], [null, "cooling"]);
  run(physics, 300);
  assert.ok(Number(physics.read("oven").board_c) < 50);
});

test("a chip leaks until its watchdog bites, and then begins anew; its cores do no more than there is time", () => {
  const physics = chipStatistics.create(randomOf(1));
  run(physics, 60);
  const early = physics.read("chip");
  run(physics, 300);
  const late = physics.read("chip");
  assert.ok(Number(late.heap_free_bytes) < Number(early.heap_free_bytes) - 30_000);
  for (const load of listOf(late.load_pct)) assert.ok(load > 5 && load <= 100, String(load));
  run(physics, 600);
  const { resets, reset_reason, uptime_s } = physics.read("chip");
  assert.deepEqual([resets, reset_reason], [2, "watchdog"]);
  assert.ok(Number(uptime_s) < 900);
});

test("with the same seed every simulator behaves the same, and measures just the fields that it declares", () => {
  for (const kind of SIMULATED_KINDS) {
    const [one, other] = [kind.create(randomOf(7)), kind.create(randomOf(7))];
    for (const [node, { fields }] of Object.entries(kind.nodes)) {
      for (const physics of [one, other]) run(physics, 2);
      const sample = one.read(node);
      assert.deepEqual(sample, other.read(node), kind.kind);
      assert.deepEqual(Object.keys(sample).sort(), Object.keys(fields).sort(), kind.kind);
    }
  }
});

/** A broker, and somebody who listens to all of it. */
async function openBroker(t: TestContext) {
  const broker = await Aedes.createBroker();
  const server = createServer(broker.handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await connectAsync(url, { reconnectPeriod: 0 });
  const heard: { topic: string; text: string }[] = [];
  client.on("message", (topic, payload) => heard.push({ topic, text: payload.toString() }));
  await client.subscribeAsync("#");
  t.after(async () => {
    await client.endAsync(true);
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    server.close();
  });
  const nextMessage = () => new Promise<void>((resolve) => client.once("message", () => resolve()));
  const hears = async (topic: string, fits: (text: string) => boolean = () => true): Promise<string> => {
    for (;;) {
      const found = heard.find((message) => message.topic === topic && fits(message.text));
      if (found) return found.text;
      await nextMessage();
    }
  };
  return { url, client, hears, nextMessage };
}

test("a simulator introduces itself, measures, obeys, answers, and is lost without a goodbye", async (t) => {
  const { url, client, hears } = await openBroker(t);
  const simulator = startSimulator({ kind: "motor", url, key: "k", id: "m1" });
  t.after(() => simulator.close());
  await simulator.ready;
  assert.equal(await hears("homie/5/m1/$state", (text) => text === "ready"), "ready");
  const description = JSON.parse(await hears("homie/5/m1/$description"));
  assert.equal(description.nodes.motor.type, "motor");
  const commands = JSON.parse(description.nodes.motor.properties.command.format).oneOf;
  assert.equal(commands[0]["x-effect"], "moves");
  const sample = JSON.parse(await hears("homie/5/m1/motor/sample"));
  assert.ok(Math.abs(sample.velocity_rad_s) < 1 && sample.t_ms > 0);
  const tell = (id: string, name: string, params: object) =>
    client.publishAsync("homie/5/m1/motor/command/set", JSON.stringify({ id, name, params }));
  await tell("c1", "velocity", { velocity_rad_s: 20 });
  const ackOf = (id: string) => (text: string) => JSON.parse(text).id === id;
  assert.deepEqual(JSON.parse(await hears("homie/5/m1/motor/ack", ackOf("c1"))), { id: "c1", ok: true });
  await tell("c2", "fly", {});
  assert.deepEqual(JSON.parse(await hears("homie/5/m1/motor/ack", ackOf("c2"))), {
    id: "c2",
    ok: false,
    code: "unsupported",
  });
  simulator.setFault("lost", true);
  assert.equal(await hears("homie/5/m1/$state", (text) => text === "lost"), "lost");
});

test("a simulator whose connection is lost while it introduces itself does so at the next one", async (t) => {
  const broker = await Aedes.createBroker();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    if (connections > 1) return void broker.handle(socket);
    socket.once("data", () => {
      socket.write(Buffer.from([0x20, 2, 0, 0]));
      socket.once("data", () => socket.destroy());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const simulator = startSimulator({ kind: "motor", url, key: "k", id: "m1" });
  t.after(async () => {
    await simulator.close();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    server.close();
  });
  await simulator.ready;
  assert.equal(connections, 2);
});

test("a motor that nobody talks to stops by its own watchdog", async (t) => {
  const { url, client, nextMessage } = await openBroker(t);
  const simulator = startSimulator({ kind: "motor", url, key: "k", id: "m1" });
  t.after(() => simulator.close());
  await simulator.ready;
  const order = { id: "c1", name: "velocity", params: { velocity_rad_s: 20 } };
  await client.publishAsync("homie/5/m1/motor/command/set", JSON.stringify(order));
  while (!simulator.witnessed().some(({ what }) => what === "watchdog")) await nextMessage();
  assert.deepEqual(
    simulator.witnessed().map(({ what, name }) => `${what} ${name}`),
    ["command velocity", "watchdog idle"],
  );
});

test("a command is accepted first and done when the device is there; told again it changes nothing; a stop ends it", async (t) => {
  const { url, client, hears } = await openBroker(t);
  const simulator = startSimulator({ kind: "servo", url, key: "k", id: "s1" });
  t.after(() => simulator.close());
  await simulator.ready;
  const tell = (id: string, name: string, params: object) =>
    client.publishAsync("homie/5/s1/servos/command/set", JSON.stringify({ id, name, params }));
  const answered = (wanted: object) =>
    hears("homie/5/s1/servos/ack", (text) => {
      const answer = JSON.parse(text);
      return Object.entries(wanted).every(([key, value]) => answer[key] === value);
    });
  await tell("c1", "pose", { gripper_deg: 20 });
  await answered({ id: "c1", accepted: true });
  await answered({ id: "c1", ok: true });
  await tell("c2", "pose", { base_turn_deg: -150, over_s: 30 });
  await tell("c2", "pose", { base_turn_deg: -150, over_s: 30 });
  await answered({ id: "c2", accepted: true });
  await tell("c3", "stop", {});
  await answered({ id: "c2", ok: false, code: "stopped" });
  await answered({ id: "c3", ok: true });
});

test("a simulator sends what is no JSON when it is told to", async (t) => {
  const { url, hears } = await openBroker(t);
  const simulator = startSimulator({ kind: "sensor", url, key: "k", id: "s1", faults: ["bad-json"] });
  t.after(() => simulator.close());
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };
  assert.equal(isJson(await hears("homie/5/s1/acceleration/sample", (text) => !isJson(text))), false);
});

test("a kind of one's own that measures faster than physics goes on sends several samples at a time", async (t) => {
  const { url, hears } = await openBroker(t);
  let count = 0;
  const fast: SimulatedKind = {
    ...{ kind: "fast", name: "Fast", model: "fast", description: "Counts" },
    nodes: { count: { name: "Count", kind: "sensor", rateHz: 1_000, fields: { count: { type: "integer" } } } },
    create: () => ({ step() {}, read: () => ({ count: ++count }) }),
  };
  const simulator = startSimulator({ kind: fast, url, key: "k", id: "f1" });
  t.after(() => simulator.close());
  const firstOf = new Map<number, number>();
  const isNotFirstOfItsTime = (text: string) => {
    const { t_ms, count } = JSON.parse(text) as { t_ms: number; count: number };
    if (!firstOf.has(t_ms)) firstOf.set(t_ms, count);
    return firstOf.get(t_ms) !== count;
  };
  await hears("homie/5/f1/count/sample", isNotFirstOfItsTime);
});
