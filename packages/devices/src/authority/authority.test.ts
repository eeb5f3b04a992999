import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { ADA, BOT, EVE, OTHER_BOT } from "../testing/actors.ts";
import { IDENTIFY, IDLE, LAMP, ON, VELOCITY } from "../testing/motor-commands.ts";
import { createAuthority } from "./authority.ts";
import type { AuthoritySettings, Decision } from "./decisions.ts";

const { leaseMs, deadManMs, repeatMs, pressMs, commandsPerSecond } = DEVICES_LIMITS;

function ready(settings: Partial<AuthoritySettings> = {}) {
  const authority = createAuthority(() => ({ latch: false, limits: {}, ...settings }), { isStopped: false });
  authority.setReady(true, 0);
  let count = 0;
  const asked = (name: string, params: JsonObject, declared = { velocity: VELOCITY, idle: IDLE, on: ON }[name]) => {
    count += 1;
    return { id: `c${count}`, capability: "motor", name, params, declared: declared ?? VELOCITY };
  };
  const spin = (actor = ADA, nowMs = 0, velocity_rad_s: unknown = 5) =>
    authority.command(asked("velocity", { velocity_rad_s } as JsonObject), actor, nowMs);
  return { authority, asked, spin };
}

/** Ada has armed it and it moves, since time 0. */
function moving(settings: Partial<AuthoritySettings> = {}) {
  const under = ready(settings);
  assert.equal(under.authority.take(ADA, false, 0).refusal, undefined);
  assert.equal(under.authority.arm(ADA, 0).refusal, undefined);
  assert.deepEqual(under.spin(), { orders: [] });
  return under;
}

const codeOf = ({ refusal }: Decision) => refusal?.code;
const whys = ({ orders }: Decision) => orders.map((order) => (order.do === "stop" ? order.why : order.do));

test("nothing moves without a lease, and nothing moves unarmed", () => {
  const { authority, spin, asked } = ready();
  assert.equal(codeOf(spin()), "not-held");
  authority.take(ADA, false, 0);
  assert.equal(codeOf(spin()), "not-armed");
  assert.equal(codeOf(authority.command(asked("on", {}), ADA, 0)), "not-armed");
  authority.arm(ADA, 0);
  assert.equal(codeOf(spin()), undefined);
  assert.equal(authority.state(0).isMoving, true);
});

test("what harms nobody needs no lease", () => {
  const { authority, asked } = ready();
  assert.equal(codeOf(authority.command(asked("set", { on: true }, LAMP), EVE, 0)), undefined);
  assert.equal(codeOf(authority.command(asked("identify", {}, IDENTIFY), EVE, 0)), undefined);
});

test("taking a held device is refused and names the holder; taking over stops first", () => {
  const { authority, spin } = moving();
  const held = authority.take(EVE, false, 0).refusal;
  assert.deepEqual([held?.code, held?.holder], ["held", ADA]);
  assert.match(held?.detail ?? "", /^Ada is in control\./);
  assert.deepEqual(whys(authority.take(EVE, true, 0)), ["taken-over"]);
  const state = authority.state(0);
  assert.deepEqual([state.holder, state.isArmed, state.isMoving], [EVE, false, false]);
  assert.deepEqual([codeOf(spin(ADA)), codeOf(spin(EVE))], ["not-held", "not-armed"]);
});

test("taking over an armed device stops it even when nothing seems to move", () => {
  const { authority } = ready();
  authority.take(ADA, false, 0);
  authority.arm(ADA, 0);
  assert.deepEqual(whys(authority.take(EVE, true, 0)), ["taken-over"]);
});

test("people take over from programs, and programs from programs; programs never from people", () => {
  const { authority } = ready();
  authority.take(BOT, false, 0);
  assert.equal(codeOf(authority.take(OTHER_BOT, false, 0)), "held");
  assert.equal(codeOf(authority.take(OTHER_BOT, true, 0)), undefined);
  assert.equal(codeOf(authority.take(ADA, true, 0)), undefined);
  const refusal = authority.take(BOT, true, 0).refusal;
  assert.equal(refusal?.code, "held");
  assert.match(refusal?.detail ?? "", /cannot take over from a person/);
});

test("a lease lasts 5 s and is renewed by use", () => {
  const { authority, asked } = ready();
  authority.take(ADA, false, 0);
  assert.equal(authority.nextMs(), leaseMs);
  authority.renew(ADA, 4_000);
  authority.press(ADA, 8_000);
  authority.command(asked("set", { on: true }, LAMP), ADA, 12_000);
  assert.equal(authority.state(12_000 + leaseMs - 1).holder, ADA);
  assert.equal(authority.state(12_000 + leaseMs).holder, undefined);
  assert.equal(codeOf(authority.renew(ADA, 12_000 + leaseMs)), "not-held");
  assert.equal(codeOf(authority.take(EVE, false, 12_000 + leaseMs)), undefined);
});

test("arming ends with the lease", () => {
  const { authority, spin } = moving();
  authority.leave(ADA, 0);
  authority.take(ADA, false, 0);
  assert.equal(codeOf(spin()), "not-armed");
});

test("dead man: 300 ms of silence stop it, and a late press does not start it again", () => {
  const { authority } = moving();
  for (let nowMs = pressMs; nowMs <= 1_000; nowMs += pressMs) authority.press(ADA, nowMs);
  assert.equal(whys(authority.tick(1_000 + deadManMs - 1)).includes("dead-man"), false);
  assert.deepEqual(whys(authority.tick(1_000 + deadManMs)), ["dead-man"]);
  authority.press(ADA, 1_000 + deadManMs + 1);
  const state = authority.state(1_000 + deadManMs + 1);
  assert.deepEqual([state.isMoving, state.isArmed, state.holder], [false, true, ADA]);
});

test("a press that comes after a late timer finds the dead man first", () => {
  const { authority } = moving();
  assert.deepEqual(whys(authority.press(ADA, deadManMs)), ["dead-man"]);
});

test("the presses of others do not count", () => {
  const { authority } = moving();
  authority.press(EVE, deadManMs - 1);
  assert.deepEqual(whys(authority.tick(deadManMs)), ["dead-man"]);
});

test("while something moves, the setpoint is repeated every 200 ms, with its id", () => {
  const { authority } = moving();
  assert.equal(authority.nextMs(), repeatMs);
  const sent: number[] = [];
  for (let nowMs = 0; nowMs < 1_000; nowMs += 10) {
    authority.press(ADA, nowMs).orders.forEach((order) => {
      assert.ok(order.do === "repeat");
      assert.deepEqual(order.setpoint, {
        id: "c1",
        capability: "motor",
        name: "velocity",
        params: { velocity_rad_s: 5 },
      });
      sent.push(nowMs);
    });
  }
  assert.deepEqual(sent, [200, 400, 600, 800]);
});

test("letting go, leaving and disarming stop at once; disarming needs no lease", () => {
  const released = moving().authority;
  assert.deepEqual(whys(released.release(EVE, 1)), []);
  assert.deepEqual(whys(released.release(ADA, 1)), ["released"]);
  assert.deepEqual(whys(moving().authority.leave(EVE, 1)), []);
  assert.deepEqual(whys(moving().authority.leave(ADA, 1)), ["left"]);
  const { authority, spin } = moving();
  assert.deepEqual(whys(authority.disarm(1)), ["disarmed"]);
  assert.equal(codeOf(spin()), "not-armed");
});

test("a latch runs on without anybody who holds the control, and ends with the lease", () => {
  const { authority } = moving({ latch: true });
  assert.deepEqual(whys(authority.tick(deadManMs)), ["repeat"]);
  authority.renew(ADA, 4_000);
  assert.deepEqual(whys(authority.tick(4_000 + leaseMs)), ["lease-over"]);
  assert.equal(authority.state(4_000 + leaseMs).isMoving, false);
});

test("out of limits is refused with field and limits, also those of the workspace", () => {
  const { spin } = moving();
  assert.deepEqual(spin(ADA, 0, 99).refusal, {
    ...{ code: "out-of-limits", field: "velocity_rad_s", limits: [-20, 20] },
    detail: "velocity_rad_s must be at least -20 and at most 20, not 99.",
  });
  assert.equal(codeOf(spin(ADA, 0, Number.NaN)), "not-a-number");
  const narrowed = moving({ limits: { motor: { velocity_rad_s: [-6, 6] } } });
  assert.deepEqual(narrowed.spin(ADA, 0, 7).refusal?.limits, [-6, 6]);
});

test("stop beats all: it stops, disarms, and nothing is armed or moved until it is cleared", () => {
  const { authority, spin, asked } = moving();
  assert.deepEqual(whys(authority.stop(repeatMs)), ["stopped"]);
  const { holder, isArmed, isMoving } = authority.state(repeatMs);
  assert.deepEqual([holder, isArmed, isMoving], [ADA, false, false]);
  assert.equal(codeOf(authority.arm(ADA, repeatMs)), "stopped");
  assert.equal(codeOf(spin(ADA, repeatMs)), "stopped");
  assert.equal(codeOf(authority.command(asked("on", {}), ADA, repeatMs)), "stopped");
  assert.equal(codeOf(authority.command(asked("set", { on: true }, LAMP), ADA, repeatMs)), undefined, "a lamp");
  assert.deepEqual(whys(authority.stop(repeatMs)), ["stopped"], "pressing again sends again");
  authority.clear(repeatMs);
  assert.equal(codeOf(spin(ADA, repeatMs)), "not-armed");
  assert.equal(codeOf(authority.arm(ADA, repeatMs)), undefined);
});

test("stopping needs no lease, no arming, and has no rate limit, also while stopped and lost", () => {
  const { authority, asked } = moving();
  const idle = () => codeOf(authority.command(asked("idle", {}), EVE, 1));
  for (let count = 0; count < 3 * commandsPerSecond; count += 1) assert.equal(idle(), undefined);
  assert.equal(authority.state(1).isMoving, false);
  authority.stop(1);
  authority.setReady(false, 1);
  assert.equal(idle(), undefined);
});

test("20 commands per second, then one every 50 ms; others have their own rate", () => {
  const { authority, spin, asked } = moving();
  const codes = Array.from({ length: commandsPerSecond }, () => codeOf(spin()));
  assert.deepEqual(codes.filter(Boolean), ["too-many"], "the first one of 21 has made it move");
  assert.equal(codeOf(authority.command(asked("set", { on: true }, LAMP), EVE, 0)), undefined);
  assert.equal(codeOf(spin(ADA, 49)), "too-many");
  assert.equal(codeOf(spin(ADA, 50)), undefined);
  assert.equal(codeOf(spin(ADA, 50)), "too-many");
});

test("a lost device: arming ends, the lease stays, and nothing is sent until it is ready and armed again", () => {
  const { authority, spin } = moving();
  assert.deepEqual(whys(authority.setReady(false, 1)), ["device-lost"]);
  const { holder, isArmed, isMoving } = authority.state(1);
  assert.deepEqual([holder, isArmed, isMoving], [ADA, false, false]);
  assert.equal(codeOf(authority.arm(ADA, 1)), "device-lost");
  assert.equal(codeOf(spin(ADA, 1)), "device-lost");
  authority.setReady(true, 2);
  assert.equal(codeOf(spin(ADA, 2)), "not-armed");
});

test("a device that refuses a command is stopped: it may still do what it was told before", () => {
  const { authority, spin } = moving();
  spin(ADA, 1, 6);
  assert.deepEqual(whys(authority.refused("c1", 2)), [], "an earlier one no longer counts");
  assert.deepEqual(whys(authority.refused("c2", 2)), ["device-refused"]);
});

test("what goes on by itself needs nobody who holds the control, and is stopped when nobody is in control", () => {
  const ends: readonly [string, (authority: ReturnType<typeof ready>["authority"]) => Decision][] = [
    ["left", (authority) => authority.leave(ADA, 1_000)],
    ["lease-over", (authority) => authority.tick(leaseMs + 1)],
    ["disarmed", (authority) => authority.disarm(1_000)],
    ["taken-over", (authority) => authority.take(EVE, true, 1_000)],
  ];
  for (const [why, end] of ends) {
    const { authority, asked } = ready();
    authority.take(ADA, false, 0);
    authority.arm(ADA, 0);
    assert.deepEqual(authority.command({ ...asked("on", {}), goesOn: true }, ADA, 0), { orders: [] });
    assert.deepEqual(whys(authority.tick(deadManMs + 1)), []);
    assert.deepEqual(whys(end(authority)), [why]);
    assert.deepEqual(whys(authority.tick(2 * leaseMs)), [], "once");
  }
});
