import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import type { Actor } from "../services.ts";
import { ADA, BOT, EVE, OTHER_BOT } from "../testing/actors.ts";
import { IDLE, ON, VELOCITY } from "../testing/motor-commands.ts";
import { createAuthority } from "./authority.ts";
import type { Authority, Decision } from "./decisions.ts";

const { leaseMs, deadManMs, repeatMs, deviceWatchdogMs } = DEVICES_LIMITS;
const ACTORS = [ADA, EVE, BOT, OTHER_BOT] as const;

const actor = fc.constantFrom(...ACTORS);
const by = <Verb extends string>(verb: Verb) => fc.record({ verb: fc.constant(verb), actor });
const alone = <Verb extends string>(verb: Verb) => fc.record({ verb: fc.constant(verb) });
const step = fc.oneof(
  // What is rare by chance: somebody gets so far that it moves.
  { weight: 8, arbitrary: by("drive") },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("take" as const), actor, takeOver: fc.boolean() }) },
  { weight: 4, arbitrary: by("arm") },
  {
    weight: 6,
    arbitrary: fc.record({ verb: fc.constant("move" as const), actor, speed: fc.integer({ min: -25, max: 25 }) }),
  },
  { weight: 6, arbitrary: by("press") },
  {
    weight: 6,
    arbitrary: fc.record({ verb: fc.constant("wait" as const), ms: fc.oneof(fc.nat(120), fc.nat(400), fc.nat(6_000)) }),
  },
  by("renew"),
  by("release"),
  by("leave"),
  by("power"),
  by("idle"),
  alone("disarm"),
  alone("stop"),
  alone("clear"),
  fc.record({ verb: fc.constant("ready" as const), isReady: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

type Detailed = Exclude<Step, { verb: "drive" }>;

const inDetail = (one: Step): Detailed[] =>
  one.verb !== "drive"
    ? [one]
    : [
        { verb: "take", actor: one.actor, takeOver: true },
        { verb: "arm", actor: one.actor },
        { verb: "move", actor: one.actor, speed: 5 },
        { verb: "wait", ms: 120 },
        { verb: "press", actor: one.actor },
      ];

/**
 * What the device and the people would see, kept without the code under test. The device does what it was sent last. A
 * person is in control from a granted request until somebody else's was granted, they left, or 5 s went by without use.
 */
type World = {
  isMoving: boolean;
  sentMs: number;
  holder: Actor | undefined;
  usedMs: number;
  isArmed: boolean;
  isStopped: boolean;
  pressedMs: number;
};

const holds = (world: World, who: Actor, nowMs: number): boolean =>
  world.holder === who && nowMs - world.usedMs < leaseMs;

function see(world: World, { orders }: Decision, nowMs: number): void {
  for (const order of orders) {
    if (order.do === "stop") world.isMoving = false;
    else assert.ok(world.isMoving, "only what moves is told again");
    world.sentMs = nowMs;
  }
}

/** One step at one time; says what the world makes of it, and checks what was granted. */
function act(
  authority: Authority,
  world: World,
  one: Exclude<Detailed, { verb: "wait" }>,
  nowMs: number,
  id: string,
): void {
  const asked = { id, capability: "motor", name: one.verb, params: {} };
  const wasHeld = "actor" in one && holds(world, one.actor, nowMs);
  const used = (decision: Decision) => {
    see(world, decision, nowMs);
    const isGranted = decision.refusal === undefined;
    if (isGranted && wasHeld) world.usedMs = nowMs;
    return isGranted;
  };
  switch (one.verb) {
    case "take": {
      const held = world.holder && holds(world, world.holder, nowMs) ? world.holder : undefined;
      if (!used(authority.take(one.actor, one.takeOver, nowMs))) {
        assert.ok(held && held !== one.actor, "only a held device is refused");
        return;
      }
      if (held && held !== one.actor) {
        assert.ok(one.takeOver && !(one.actor.isProgram && !held.isProgram), "never two holders");
        assert.equal(world.isMoving, false, "taking over stops first");
      }
      if (held !== one.actor) Object.assign(world, { holder: one.actor, isArmed: false });
      world.usedMs = nowMs;
      return;
    }
    case "arm":
      if (!used(authority.arm(one.actor, nowMs))) return;
      assert.ok(wasHeld && !world.isStopped, "armed by its holder only, and never while stopped");
      world.isArmed = true;
      return;
    case "move":
    case "power": {
      const moves = one.verb === "move" ? { velocity_rad_s: one.speed } : {};
      const command = { ...asked, params: moves, declared: one.verb === "move" ? VELOCITY : ON };
      if (!used(authority.command(command, one.actor, nowMs))) return;
      assert.ok(wasHeld && world.isArmed && !world.isStopped, "never moving or powered unarmed, unheld or stopped");
      if (one.verb === "power") return;
      assert.ok(Math.abs(one.speed) <= 20, "never outside of the limits");
      Object.assign(world, { isMoving: true, sentMs: nowMs, pressedMs: nowMs });
      return;
    }
    case "idle":
      assert.ok(used(authority.command({ ...asked, declared: IDLE }, one.actor, nowMs)), "stopping is never refused");
      Object.assign(world, { isMoving: false, sentMs: nowMs });
      return;
    case "press":
      see(world, authority.press(one.actor, nowMs), nowMs);
      if (wasHeld) Object.assign(world, { usedMs: nowMs, pressedMs: nowMs });
      return;
    case "renew":
      assert.equal(used(authority.renew(one.actor, nowMs)), wasHeld);
      return;
    case "release":
    case "leave":
      see(world, authority[one.verb](one.actor, nowMs), nowMs);
      if (wasHeld) assert.equal(world.isMoving, false, "letting go and leaving stop at once");
      if (wasHeld && one.verb === "leave") Object.assign(world, { holder: undefined, isArmed: false });
      return;
    case "disarm":
    case "stop":
      see(world, authority[one.verb](nowMs), nowMs);
      assert.equal(world.isMoving, false);
      world.isArmed = false;
      if (one.verb === "stop") world.isStopped = true;
      return;
    case "clear":
      see(world, authority.clear(nowMs), nowMs);
      world.isStopped = false;
      return;
    case "ready":
      see(world, authority.setReady(one.isReady, nowMs), nowMs);
      if (!one.isReady) assert.equal(world.isMoving, false, "a lost device");
      if (!one.isReady) world.isArmed = false;
  }
}

function check(world: World, authority: Authority, nowMs: number, isLatched: boolean): void {
  const held = world.holder && holds(world, world.holder, nowMs) ? world.holder : undefined;
  if (!held) world.isArmed = false;
  const state = authority.state(nowMs);
  assert.equal(state.holder, held);
  assert.equal(state.isArmed, world.isArmed);
  assert.equal(state.isMoving, world.isMoving);
  if (!world.isMoving) return;
  assert.ok(held && world.isArmed && !world.isStopped, "nothing moves unattended, unarmed or stopped");
  if (!isLatched) assert.ok(nowMs - world.pressedMs < deadManMs, "stopped within the dead man's time");
  assert.ok(nowMs - world.sentMs < repeatMs, "told again in time for the device's own watchdog");
}

function run(steps: readonly Step[], isLatched: boolean): void {
  const authority = createAuthority(() => ({ latch: isLatched, limits: {} }), { isStopped: false });
  authority.setReady(true, 0);
  const world: World = {
    ...{ isMoving: false, sentMs: 0, holder: undefined, usedMs: 0 },
    ...{ isArmed: false, isStopped: false, pressedMs: 0 },
  };
  let nowMs = 0;
  for (const [index, one] of steps.flatMap(inDetail).entries()) {
    if (one.verb === "wait") {
      const untilMs = nowMs + one.ms;
      for (let next = authority.nextMs(); next !== undefined && next <= untilMs; next = authority.nextMs()) {
        assert.ok(next >= nowMs, "nothing overdue is left");
        nowMs = next;
        see(world, authority.tick(nowMs), nowMs);
        assert.notEqual(authority.nextMs(), nowMs, "what was due is done");
        check(world, authority, nowMs, isLatched);
      }
      nowMs = untilMs;
    } else {
      act(authority, world, one, nowMs, `c${index}`);
    }
    check(world, authority, nowMs, isLatched);
  }
}

test("never two holders, never moving unarmed, always stopped within the dead man's time, stop beats all", () => {
  assert.ok(deadManMs < deviceWatchdogMs && repeatMs < deadManMs);
  const runs = fc.tuple(fc.array(step, { maxLength: 80 }), fc.boolean());
  fc.assert(
    fc.property(runs, ([steps, isLatched]) => run(steps, isLatched)),
    { numRuns: trials(5_000) },
  );
});

/** The same without a timer: whatever comes first after the time finds what was due. */
test("a timer that never fires lets nobody start, keep or revive a movement by anything that comes later", () => {
  const late = fc.constantFrom("take", "arm", "move", "press", "renew", "release", "leave", "disarm", "tick");
  fc.assert(
    fc.property(late, fc.integer({ min: deadManMs, max: 2 * leaseMs }), actor, (verb, lateMs, who) => {
      const authority = createAuthority(() => ({ latch: false, limits: {} }), { isStopped: false });
      authority.setReady(true, 0);
      const asked = {
        id: "a",
        capability: "motor",
        name: "velocity",
        params: { velocity_rad_s: 1 },
        declared: VELOCITY,
      };
      authority.take(ADA, false, 0);
      authority.arm(ADA, 0);
      authority.command(asked, ADA, 0);
      const calls: Readonly<Record<typeof verb, () => Decision>> = {
        take: () => authority.take(who, true, lateMs),
        arm: () => authority.arm(who, lateMs),
        move: () => authority.command({ ...asked, id: "b" }, who, lateMs),
        press: () => authority.press(who, lateMs),
        renew: () => authority.renew(who, lateMs),
        release: () => authority.release(who, lateMs),
        leave: () => authority.leave(who, lateMs),
        disarm: () => authority.disarm(lateMs),
        tick: () => authority.tick(lateMs),
      };
      const [first] = calls[verb]().orders;
      assert.deepEqual(first, { do: "stop", why: "dead-man", holder: ADA });
    }),
    { numRuns: trials(500) },
  );
});
