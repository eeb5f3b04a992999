import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@backplane/contract/panels";
import { batteryCharger } from "./kinds/battery-charger.ts";
import { drone } from "./kinds/drone.ts";
import { gpio } from "./kinds/gpio.ts";
import { led } from "./kinds/led.ts";
import { lights } from "./kinds/lights.ts";
import { power } from "./kinds/power.ts";
import { servo } from "./kinds/servo.ts";
import { speedController } from "./kinds/speed-controller.ts";
import { type Physics, randomOf, type SimulatedKind } from "./simulator.ts";

function start(kind: SimulatedKind, node: string) {
  const physics: Physics = kind.create(randomOf(1));
  return {
    physics,
    read: (): JsonObject => physics.read(node),
    number: (field: string): number => Number(physics.read(node)[field]),
    tell: (name: string, params: JsonObject = {}) => {
      const answer = physics.command?.(node, name, params);
      assert.ok(answer);
      return answer;
    },
    run(seconds: number) {
      for (let i = 0; i < seconds * 50; i += 1) physics.step(0.02);
    },
  };
}

test("a strip never draws more than its budget, and says what it holds", () => {
  const { tell, number, run, read } = start(led, "led");
  assert.deepEqual(tell("set", { segment: "cabin", effect: "Solid", brightness_pct: 20 }), { ok: true });
  const held = tell("set", { effect: "Solid", brightness_pct: 100, rgb: [255, 255, 255] });
  assert.ok(held.ok && /^\d+ %, current budget$/.test(held.detail ?? ""));
  run(1);
  assert.ok(number("current_a") <= number("budget_a") && number("wanted_a") > number("budget_a"));
  const pixels = String(read().pixels);
  assert.equal(pixels.length, 60 * 6);
  assert.equal(pixels.slice(52 * 6, 53 * 6), "------");
});

test("a lamp fades and is there when it is, one says yes and does nothing, one is silent", () => {
  const { physics, run } = start(lights, "bench-1");
  const asked = physics.command?.("bench-1", "set", { brightness_pct: 10 });
  assert.ok(asked?.ok && asked.isThere?.() === false);
  run(1);
  assert.ok(asked.isThere?.() === true && physics.read("bench-1").brightness_pct === 10);
  assert.ok(physics.command?.("bench-2", "set", { on: true })?.ok);
  run(1);
  assert.equal(physics.read("bench-2").on, false);
  assert.equal(physics.isSilent?.("desk"), true);
});

test("servos take the time that a pose has, never turn faster than they can, and stay where they are stopped", () => {
  const { tell, number, run } = start(servo, "servos");
  const slow = tell("pose", { gripper_deg: 68, over_s: 2 });
  run(1);
  assert.ok(Math.abs(number("gripper_deg") - 43) < 2, String(number("gripper_deg")));
  assert.ok(slow.ok && slow.isThere?.() === false);
  tell("stop");
  run(1);
  assert.ok(Math.abs(number("gripper_deg") - 43) < 2);
  tell("pose", { base_turn_deg: -150 });
  run(0.5);
  assert.ok(number("base_turn_deg") > -60, "180° per second");
  assert.ok(number("base_turn_load_pct") > 40);
  tell("torque", { on: false });
  assert.equal(tell("pose", { elbow_deg: 0 }).ok, false);
});

test("a pin is written in its mode only, a pulse goes back by itself, and off sets all outputs to rest", () => {
  const { tell, read, run, physics } = start(gpio, "pins");
  assert.equal(tell("write", { pin: "gpio4", high: true }).ok, false);
  tell("write", { pin: "gpio27", high: true });
  const pulse = tell("pulse", { pin: "gpio27", high: false, ms: 50 });
  assert.equal(read().gpio27, false);
  run(0.1);
  assert.ok(pulse.ok && pulse.isThere?.() === true && read().gpio27 === true);
  physics.tell?.("gpio17", false);
  assert.equal(read().gpio17, false);
  tell("off");
  assert.deepEqual([read().gpio27, read().gpio18_pct], [false, 0]);
});

test("rails need those before them and the guard; a short is a fault, and an opened guard cuts", () => {
  const { tell, read, run, physics } = start(power, "power");
  const refusedFor = (rail: string) => {
    const answer = tell("on", { rail });
    return answer.ok ? undefined : answer.detail;
  };
  assert.match(refusedFor("drives_24v") ?? "", /needs logic_5v/);
  const first = tell("on", { rail: "logic_5v" });
  assert.ok(first.ok && first.isThere?.() === false);
  run(1);
  assert.ok(first.isThere?.() === true && read().logic_5v_state === "on");
  physics.tell?.("guard_closed", false);
  assert.match(refusedFor("drives_24v") ?? "", /guard_closed/);
  physics.tell?.("guard_closed", true);
  tell("on", { rail: "drives_24v" });
  run(1);
  const inrush = read().inrush as { rail: string; a: number[] };
  assert.ok(inrush.rail === "drives_24v" && Math.max(...inrush.a) > 3.2 && (inrush.a.at(-1) ?? 9) < 3.2);
  physics.tell?.("guard_closed", false);
  run(1);
  assert.equal(read().drives_24v_state, "off");
  physics.tell?.("sensors_12v_short", true);
  const short = tell("on", { rail: "sensors_12v" });
  run(3);
  assert.equal(read().sensors_12v_state, "fault");
  assert.ok(short.ok && typeof short.isThere?.() === "string");
});

test("a propeller needs much more current for more speed, warms its controller, and the supply sags", () => {
  const { tell, number, run } = start(speedController, "esc");
  tell("throttle", { throttle_pct: 40 });
  run(2);
  const [half, volts] = [number("current_a"), number("voltage_v")];
  tell("throttle", { throttle_pct: 80 });
  run(10);
  assert.ok(number("current_a") > 4 * half && number("voltage_v") < volts && number("temperature_c") > 30);
  assert.equal(tell("beep", { tone: 1 }).ok, false);
  tell("stop");
  run(2);
  assert.equal(number("current_a"), 0);
});

test("a charger holds its current, then its voltage, and ends when the pack is full", () => {
  const { physics, tell, number, read, run } = start(batteryCharger, "charger");
  physics.tell?.("soc_pct", 80);
  const asked = tell("start", { current_a: 5 });
  assert.ok(asked.ok && asked.isThere?.() === false);
  run(3);
  assert.ok(asked.isThere?.() === true);
  assert.deepEqual([read().state, number("current_a")], ["constant current", 5]);
  const seen = new Set<unknown>();
  let highest = 0;
  for (let minute = 0; minute < 60 && read().state !== "full"; minute += 1) {
    for (let s = 0; s < 60; s += 1) physics.step(1);
    seen.add(read().state);
    highest = Math.max(highest, number("pack_v"));
  }
  assert.deepEqual([...seen], ["constant current", "constant voltage", "full"]);
  assert.ok(highest <= 16.81 && highest > 16.7, String(highest));
  assert.ok(number("soc_pct") > 95 && number("current_a") === 0, JSON.stringify(read()));
  assert.ok(number("charge_mah") > 700 && number("charge_mah") < 1_300, String(number("charge_mah")));
});

test("a step of the current shows which cell has aged; higher cells are balanced", () => {
  const { tell, read, run } = start(batteryCharger, "charger");
  const before = read().cell_v as number[];
  tell("start", { current_a: 5 });
  run(2);
  const after = read().cell_v as number[];
  const ohms = after.map((volts, i) => (volts - (before[i] ?? 0)) / 5);
  assert.ok((ohms[2] ?? 0) > 2 * (ohms[0] ?? 0), ohms.join());
  run(60);
  assert.ok((read().balance as boolean[]).includes(true));
});

test("a charger stops by itself when the pack is too hot, and does not start with a cell the wrong way round", () => {
  const { physics, tell, read, run } = start(batteryCharger, "charger");
  tell("start", { current_a: 2 });
  run(1);
  physics.tell?.("temperature_c", 50);
  run(1);
  assert.equal(read().state, "fault");
  assert.match(String(read().fault), /50 °C, more than 45 °C/);
  assert.equal(read().current_a, 0);
  physics.tell?.("temperature_c", 25);
  physics.tell?.("reversed_cell", 2);
  const refused = tell("start", { current_a: 2 });
  assert.ok(!refused.ok && /cell 2 has −?-?3\.\d+ V/.test(refused.detail ?? ""), JSON.stringify(refused));
});

test("a drone refuses what is not safe with its reason, takes off, flies, holds against the wind, and lands", () => {
  const { tell, number, run, read, physics } = start(drone, "drone");
  const refused = (name: string, params: JsonObject = {}) => {
    const answer = tell(name, params);
    return answer.ok ? undefined : answer.detail;
  };
  assert.match(refused("takeoff", { height_m: 5 }) ?? "", /motors are off/);
  physics.tell?.("satellites", 4);
  assert.match(refused("arm") ?? "", /Pre-arm check failed: GPS: 4 satellites, 6 are needed/);
  physics.tell?.("satellites", 12);
  assert.equal(refused("arm"), undefined);
  assert.match(refused("velocity", { forward_m_s: 1 }) ?? "", /on the ground/);
  const up = tell("takeoff", { height_m: 5 });
  assert.ok(up.ok && up.isThere?.() === false);
  run(8);
  assert.ok(up.isThere?.() === true && Math.abs(number("height_m") - 5) < 0.4, String(number("height_m")));
  assert.match(refused("disarm") ?? "", /in the air/);
  physics.tell?.("wind_m_s", 5);
  const there = tell("goto", { north_m: 10, east_m: -5, height_m: 6 });
  run(10);
  assert.ok(there.ok && there.isThere?.() === true, JSON.stringify(read()));
  tell("velocity", { forward_m_s: 2 });
  run(2);
  assert.ok(Math.hypot(number("north_m_s"), number("east_m_s")) > 1);
  physics.watchdog?.();
  run(4);
  assert.ok(Math.hypot(number("north_m_s"), number("east_m_s")) < 0.6, "it holds");
  const home = tell("return");
  run(30);
  assert.ok(home.ok && home.isThere?.() === true, JSON.stringify(read()));
  assert.deepEqual([read().armed, read().mode, number("height_m")], [false, "Standby", 0]);
  assert.ok(Math.hypot(number("north_m"), number("east_m")) < 2);
});

test("a drone brakes and hovers when it is stopped, and goes on landing; it lands with a low battery or a lost link", () => {
  const fly = () => {
    const under = start(drone, "drone");
    under.tell("arm");
    under.tell("takeoff", { height_m: 4 });
    under.run(8);
    return under;
  };
  const stopped = fly();
  stopped.tell("velocity", { right_m_s: 3 });
  stopped.run(1);
  assert.deepEqual(stopped.tell("stop"), { ok: true });
  stopped.run(3);
  assert.deepEqual([stopped.read().mode, stopped.number("height_m") > 3], ["Hold", true]);
  stopped.tell("land");
  stopped.run(1);
  stopped.tell("stop");
  assert.equal(stopped.read().mode, "Land");
  stopped.tell("hold");
  assert.equal(stopped.read().mode, "Hold");
  for (const [what, value, words] of [
    ["battery_pct", 8, /Battery fail-safe/],
    ["link", false, /Ground station lost/],
  ] as const) {
    const { physics, run, read } = fly();
    physics.tell?.(what, value);
    run(0.1);
    assert.match(
      physics
        .lines?.()
        .map(({ text }) => text)
        .join() ?? "",
      words,
    );
    run(10);
    assert.deepEqual([read().armed, read().height_m], [false, 0]);
  }
});

test("a drone keeps out of an area: a way over it is refused, and steered there it stops before it", () => {
  const { tell, number, run, physics } = start(drone, "drone");
  tell("arm");
  tell("takeoff", { height_m: 3 });
  run(6);
  const over = tell("goto", { north_m: 35, east_m: -14, height_m: 3 });
  assert.ok(!over.ok && /keep out/.test(over.detail ?? ""));
  assert.equal(tell("goto", { north_m: 18, east_m: 12, height_m: 3 }).ok, true);
  run(15);
  physics.lines?.();
  // It looks to 62°: so it flies to the west, where the area is.
  for (let i = 0; i < 100; i += 1) {
    tell("velocity", { right_m_s: -1, forward_m_s: -1.88 });
    run(0.2);
  }
  assert.ok(number("east_m") > -1, `${number("east_m")} m east`);
  assert.ok(physics.lines?.().some(({ text }) => /keep out/.test(text)));
});
