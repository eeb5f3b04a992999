// People and programs at two instances do at random whatever they can, over real sockets; the motor itself is the witness.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ack, DEVICES_LIMITS, type Devices } from "@backplane/contract/devices";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { HubPage } from "../testing/area.ts";
import { openTwoWithMotor } from "../testing/two-instances.ts";

const { leaseMs, deadManMs, pressMs } = DEVICES_LIMITS;
/** `TEST_STEPS=50` is a quick run. */
const STEPS = Number(process.env.TEST_STEPS ?? 400);
const RESTART_EVERY = 40;
const RENEW_EVERY_MS = 30_000;
/** How late a busy machine may be. */
const SLACK_MS = 1_500;
const DEVICE = "motor-1";
const TARGET = { device: DEVICE, capability: "motor", name: "velocity", params: { velocity_rad_s: 1 } };

type Stage = Awaited<ReturnType<typeof openTwoWithMotor>>;
type Who = { name: string; isProgram: boolean; page: HubPage; at: Stage["first"] };

/** What is known without asking the code under test. Times are before and after the answer: between them it happened. */
type World = {
  holder: Who | undefined;
  used: { fromMs: number; toMs: number };
  /** Undefined: its holder took it again at about the time when control ended, which would have disarmed it. */
  isArmed: boolean | undefined;
  isStopped: boolean;
  /** From when until when the motor may be told to move. */
  drives: { fromMs: number; untilMs: number }[];
};

const VERBS = [
  ...["drive", "drive", "drive", "take", "take", "take over", "arm", "arm", "move", "move", "move", "press", "press"],
  ...["wait", "long wait", "leave", "release", "disarm", "stop", "stop", "stop", "clear"],
] as const;
type Verb = (typeof VERBS)[number];

const oneOf = <One>(all: readonly One[]): One => all[Math.floor(Math.random() * all.length)] as One;

class Model {
  readonly #stage: Stage;
  #instances: Stage["first"][];
  readonly world: World = {
    ...{ holder: undefined, used: { fromMs: 0, toMs: 0 }, isArmed: false, isStopped: false, drives: [] },
  };
  #all: Who[] = [];
  #renewedMs = 0;
  #calls = 0;
  readonly counts = new Map<string, number>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#instances = [stage.first, stage.last];
  }

  /** A person and a program, and another person, each at one of the instances. */
  async enter(): Promise<void> {
    const enter = async (name: string, at: Stage["first"]): Promise<Who> => ({
      ...{ name, at, isProgram: name === "bot", page: await this.#stage.open(at, name) },
    });
    const [first, last] = this.#instances as [Stage["first"], Stage["first"]];
    this.#renewedMs = Date.now();
    this.#all = [
      ...[await enter("ada", first), await enter("ada", last), await enter("bob", last)],
      ...[await enter("bot", first), await enter("bot", last)],
    ];
  }

  /** Like pages: whoever does not renew its ticket is closed, and on a busy machine a few steps take minutes. */
  async renew(): Promise<void> {
    if (Date.now() - this.#renewedMs < RENEW_EVERY_MS) return;
    this.#renewedMs = Date.now();
    for (const { page, at, name } of this.#all)
      page.send({ type: "renew", ticket: await this.#stage.ticket(at, name) });
  }

  async #ask(who: Who, message: Parameters<HubPage["send"]>[0] & { id: number }): Promise<Ack & { fromMs: number }> {
    const fromMs = Date.now();
    who.page.send(message);
    const { ack } = await who.page.hears("ack", ({ id, stage }) => id === message.id && stage === "reached");
    return { ...ack, fromMs };
  }

  #isHolder(who: Who): boolean | undefined {
    const { holder, used } = this.world;
    if (holder !== who || Date.now() - used.toMs > leaseMs + SLACK_MS) return false;
    return Date.now() - used.fromMs < leaseMs - SLACK_MS ? true : undefined;
  }

  #use(fromMs: number): void {
    this.world.used = { fromMs, toMs: Date.now() };
  }

  #pressed(): void {
    const drive = this.world.drives.at(-1);
    const isGoing = drive && drive.untilMs >= Date.now();
    if (isGoing) drive.untilMs = Date.now() + deadManMs + SLACK_MS;
  }

  async #take(who: Who, takeOver: boolean): Promise<void> {
    const { world } = this;
    const before = world.holder;
    const isOther = before && before !== who ? this.#isHolder(before) : false;
    this.#calls += 1;
    const { ok, fromMs, code } = await this.#ask(who, { type: "take", id: this.#calls, device: DEVICE, takeOver });
    const mayTakeOver = takeOver && !(who.isProgram && !before?.isProgram);
    if (isOther === true) assert.equal(ok, mayTakeOver, `never two holders: ${who.name} beside ${before?.name}`);
    if (isOther === false) assert.ok(ok, `a free device is given: ${code}`);
    if (!ok) return;
    const isStill = before === who ? this.#isHolder(who) : false;
    if (isStill === undefined) world.isArmed = world.isArmed === false ? false : undefined;
    else if (!isStill) Object.assign(world, { holder: who, isArmed: false });
    if (isOther === true) this.#ends();
    this.#use(fromMs);
  }

  /** What moves is stopped, now or as soon as the motor hears of it. */
  #ends(slackMs = SLACK_MS / 3): void {
    const drive = this.world.drives.at(-1);
    if (drive) drive.untilMs = Math.min(drive.untilMs, Date.now() + slackMs);
  }

  async #arm(who: Who): Promise<void> {
    const isHolder = this.#isHolder(who);
    this.#calls += 1;
    const { ok, fromMs } = await this.#ask(who, { type: "arm", id: this.#calls, device: DEVICE });
    if (ok) assert.ok(isHolder !== false && !this.world.isStopped, "armed by its holder only, and never while stopped");
    if (!ok) return;
    this.world.isArmed = true;
    this.#use(fromMs);
  }

  async #move(who: Who): Promise<void> {
    const { world } = this;
    const isHolder = this.#isHolder(who);
    const { isArmed, isStopped } = world;
    this.#calls += 1;
    const { ok, fromMs, code } = await this.#ask(who, { type: "command", id: this.#calls, ...TARGET });
    if (!ok && isHolder === true && isArmed && !isStopped) assert.equal(code, "too-many");
    if (!ok) return;
    assert.ok(isHolder !== false, "only who is in control moves it");
    assert.ok(isArmed !== false, "never moving unarmed");
    assert.ok(!isStopped, "never moving while stopped");
    this.#use(fromMs);
    world.drives.push({ fromMs, untilMs: Date.now() + deadManMs + SLACK_MS });
  }

  #press(who: Who): void {
    who.page.send({ type: "press", device: DEVICE });
    if (this.#isHolder(who) === false) return;
    const { used } = this.world;
    this.world.used = { fromMs: used.fromMs, toMs: Date.now() + SLACK_MS };
    this.#pressed();
  }

  async #pressFor(who: Who, ms: number): Promise<void> {
    for (const endMs = Date.now() + ms; Date.now() < endMs; await sleep(pressMs)) this.#press(who);
  }

  async #leave(who: Who): Promise<void> {
    const { world } = this;
    const wasHolder = world.holder === who;
    who.page.send({ type: "leave", device: DEVICE });
    if (!wasHolder) return;
    const [holding] = this.#instances as [Stage["first"]];
    const isLeft = async () => (await this.#stage.json<Devices>("", holding)).devices[0]?.lease === undefined;
    await until("nobody is in control", isLeft);
    Object.assign(world, { holder: undefined, isArmed: false });
    this.#ends();
  }

  async #stop(who: Who): Promise<void> {
    const { world, witness } = this;
    this.#calls += 1;
    const id = this.#calls;
    const { ok } = await this.#ask(who, { type: "stop", id });
    const { devices } = await who.page.hears("ack", (ack) => ack.id === id);
    assert.ok(ok, `the motor has confirmed that it stopped: ${JSON.stringify(devices)}`);
    assert.equal(witness.at(-1)?.name, "idle", "stop beats all");
    Object.assign(world, { isStopped: true, isArmed: false });
    this.#ends(0);
  }

  async #clear(who: Who): Promise<void> {
    const isHolder = this.#isHolder(who);
    this.#calls += 1;
    const { ok } = await this.#ask(who, { type: "clear", id: this.#calls });
    if (isHolder !== undefined) assert.equal(ok, isHolder, "only who is in control clears the stop");
    if (ok) this.world.isStopped = false;
  }

  get witness() {
    return this.#stage.motor.received;
  }

  async step(verb: Verb): Promise<void> {
    this.counts.set(verb, (this.counts.get(verb) ?? 0) + 1);
    const who = Math.random() < 0.5 && this.world.holder ? this.world.holder : oneOf(this.#all);
    if (verb === "take" || verb === "take over") await this.#take(who, verb === "take over");
    else if (verb === "arm") await this.#arm(who);
    else if (verb === "move") await this.#move(who);
    else if (verb === "drive") {
      await this.#take(who, true);
      if (this.world.isStopped && Math.random() < 0.8) await this.#clear(who);
      await this.#arm(who);
      await this.#move(who);
      await this.#pressFor(who, Math.random() * 800);
      // Whoever lets go without a word.
      if (Math.random() < 0.3) await sleep(2 * SLACK_MS);
    } else if (verb === "press") await this.#pressFor(who, Math.random() * 500);
    else if (verb === "wait") await sleep(Math.random() * 400);
    else if (verb === "long wait") await sleep(2_000 + Math.random() * (leaseMs + SLACK_MS));
    else if (verb === "leave") await this.#leave(who);
    else if (verb === "release") who.page.send({ type: "release", device: DEVICE });
    else if (verb === "disarm") {
      this.#calls += 1;
      await this.#ask(who, { type: "disarm", id: this.#calls, device: DEVICE });
      this.world.isArmed = false;
      this.#ends();
    } else if (verb === "stop") await this.#stop(who);
    else await this.#clear(who);
  }

  /** The instance that holds the devices ends; the other one takes over, and a new one comes. */
  async restart(): Promise<void> {
    const [holding, next] = this.#instances as [Stage["first"], Stage["first"]];
    await holding.stop();
    this.#ends();
    Object.assign(this.world, { holder: undefined, isArmed: false });
    const now = async () => {
      const answer = await this.#stage.call("GET", "", { at: next });
      return answer.status === 200 ? ((await answer.json()) as Devices) : undefined;
    };
    await until("another instance has the motor", async () => (await now())?.devices[0]?.state === "ready");
    assert.equal((await now())?.stopped != null, this.world.isStopped, "a stop is remembered");
    this.#instances = [next, await this.#stage.start()];
    await this.enter();
  }

  /** By what the motor received: it moves only while somebody drives it, and is told to stop when nobody does. */
  check(): void {
    const { drives } = this.world;
    for (const [at, { atMs, name }] of this.witness.entries()) {
      if (name !== "velocity") continue;
      const drive = drives.findLast(({ fromMs }) => fromMs <= atMs);
      assert.ok(
        drive && atMs <= drive.untilMs,
        `told to move ${atMs - (drive?.untilMs ?? 0)} ms after it had to stand`,
      );
      const next = this.witness[at + 1];
      const nextMs = next?.atMs ?? Date.now();
      assert.ok(nextMs <= drive.untilMs, `${next?.name ?? "nothing"} only ${nextMs - drive.untilMs} ms too late`);
    }
  }
}

test("never two holders, never moving unarmed, always stopped in time, stop beats all: at two instances", async (t: TestContext) => {
  const model = new Model(await openTwoWithMotor(t, { openDatabase: createTestDatabase }));
  await model.enter();
  for (let step = 1; step <= STEPS; step += 1) {
    await model.renew();
    await model.step(oneOf(VERBS));
    // By chance it is rarely stopped just then.
    if (step % (2 * RESTART_EVERY) === RESTART_EVERY) await model.step("stop");
    if (step % RESTART_EVERY === 0) await model.restart();
    model.check();
  }
  const { drives } = model.world;
  t.diagnostic(`${STEPS} steps, ${drives.length} drives, ${model.witness.length} commands at the motor`);
  t.diagnostic(JSON.stringify(Object.fromEntries(model.counts)));
  assert.ok(drives.length > STEPS / 40);
});
