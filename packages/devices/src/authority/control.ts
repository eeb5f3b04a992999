import { randomUUID } from "node:crypto";
import {
  type Ack,
  DEVICES_LIMITS,
  type Device,
  type Holder,
  type Lease,
  type Stopped,
} from "@backplane/contract/devices";
import type { JsonObject, LogLevel } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { Actor, Control, Model, Reader } from "../services.ts";
import { type Authority, createAuthority, type Decision, nameOf, type Refusal, type Setpoint } from "./authority.ts";
import type { FollowedSettings } from "./device-settings.ts";
import { answerText, paramsText, stopText } from "./lines.ts";
import { createRails } from "./rails.ts";
import { createStopper, pause, within } from "./stopper.ts";
import { canMove, isStopping, movesIn, needsControl, railsOf } from "./stopping.ts";
import type { Stops } from "./stops.ts";

const { ackMs } = DEVICES_LIMITS;
/** A lease that is renewed often is shown again only when its end moved by this much. */
const SHOWN_LEASE_MS = 1_000;
const WRITE_AGAIN_MS = 1_000;
/** Somebody who presses again and again within this time is one line of the log; each press is sent. */
const STOP_LINE_MS = 1_000;

export type ControlOptions = {
  workspaceId: string;
  model: Pick<Model, "devices" | "device" | "on" | "setControl">;
  /** Of the device's source. */
  readerOf(source: string): Pick<Reader, "command" | "stop"> | undefined;
  settings: FollowedSettings;
  stops: Stops;
  note(level: LogLevel, message: string): void;
  now: Clock;
  /** Never goes back, so that a clock that is set cannot keep anything moving. */
  steady?: Clock;
  onFault(error: unknown): void;
};

type Entry = {
  /** As it was last told. */
  device: Device;
  moves: boolean;
  authority: Authority;
  isReady: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Of the commands that need control, by capability. */
  capabilities: ReadonlySet<string>;
  shown: { text: string; untilMs: number };
  /** What it is moving to, as it was logged. */
  logged: string;
  /** Actors who were told that they send too much, and it was logged. */
  tooMany: Set<string>;
};

/**
 * Control of the devices of one workspace: the rules of `authority.ts` with timers, readers and the log. What moves in
 * the real world stops when nobody is in control of it.
 */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { model, stops, workspaceId, note, now, onFault, settings } = options;
  const steady = options.steady ?? (() => performance.now());
  const entries = new Map<string, Entry>();
  const listeners = createListeners<Stopped | null>(onFault);
  const closing = new AbortController();
  let stopped = await stops.read(workspaceId).catch(async (error) => {
    await settings.close().catch(onFault);
    throw error;
  });
  let stoppedAtMs = stopped?.atMs ?? 0;

  const deviceName = (id: string): string => entries.get(id)?.device.name ?? id;
  const isReachable = (id: string): boolean => entries.get(id)?.isReady === true;
  const readerOf = (id: string) => options.readerOf(entries.get(id)?.device.source ?? "");
  const noReader = (): Promise<Ack> => Promise.resolve({ ok: false, code: "unsupported", tookMs: 0 });

  const stopper = createStopper({
    ...{ isReachable, steady, onFault },
    send: (id) => readerOf(id)?.stop(id) ?? noReader(),
    onLateAnswer: (id, ack) =>
      note(ack.ok ? "info" : "error", `${deviceName(id)}, told again to stop: ${answerText(ack)}.`),
  });
  const rails = createRails({
    // What takes a while, such as landing, is on its way when the device has it.
    send: (rail) =>
      new Promise((resolve) => {
        const startMs = steady();
        const onAccepted = () => resolve({ ok: true, reached: false, tookMs: steady() - startMs });
        void tell(rail.device, { ...rail, id: randomUUID() }, onAccepted).then(resolve);
      }),
    keptOf: (id) => settings.of(id).kept,
    isGoingOn: (id) => stopped !== undefined && isReachable(id),
    signal: closing.signal,
  });

  /** Sends a command; never rejects. */
  function tell(id: string, { capability, ...command }: Setpoint, onAccepted?: () => void): Promise<Ack> {
    const startMs = steady();
    const failed = (error: unknown): Ack => {
      onFault(error);
      return { ok: false, code: "no-answer", tookMs: steady() - startMs };
    };
    const { name, params } = command;
    try {
      const answer = readerOf(id)?.command(id, capability, { id: command.id, name, params }, onAccepted) ?? noReader();
      return answer.then((ack) => ({ ...ack, tookMs: steady() - startMs }), failed);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  /** Carries out what was decided, in its order, before anything else can happen. Returns the answers to stops. */
  function apply(entry: Entry, { orders }: Decision): Promise<Ack>[] {
    const answers = orders.flatMap((order) => {
      if (order.do === "repeat") {
        void tell(entry.device.id, order.setpoint).then((ack) => afterAnswer(entry, order.setpoint, ack));
        return [];
      }
      const answer = stopper.stop(entry.device.id, order.why);
      const level = order.why === "released" ? "info" : "warn";
      const who = order.holder && nameOf(order.holder);
      if (order.why !== "stopped") note(level, stopText(order.why, entry.device.name, who));
      return [answer];
    });
    show(entry);
    schedule(entry);
    return answers;
  }

  /** A device that refuses what it was told may still do what it was told before. */
  function afterAnswer(entry: Entry, { id }: Setpoint, { ok, code }: Ack): void {
    if (!ok && code !== "no-answer") apply(entry, entry.authority.refused(id, steady()));
  }

  function schedule(entry: Entry): void {
    clearTimeout(entry.timer);
    const nextMs = entry.authority.nextMs();
    if (nextMs === undefined || closing.signal.aborted) return;
    const waitMs = Math.max(0, Math.ceil(nextMs - steady()));
    entry.timer = setTimeout(() => apply(entry, entry.authority.tick(steady())), waitMs).unref();
  }

  function leaseOf({ authority }: Entry): Lease | undefined {
    const nowMs = steady();
    const { holder, sinceMs, untilMs } = authority.state(nowMs);
    const at = (ms: number) => new Date(now() + ms - nowMs).toISOString();
    return holder && { holder: publicly(holder), since: at(sinceMs), until: at(untilMs) };
  }

  function show(entry: Entry): void {
    const { holder, untilMs, isArmed, isMoving } = entry.authority.state(steady());
    const text = JSON.stringify([holder?.key, isArmed, isMoving]);
    if (text === entry.shown.text && Math.abs(untilMs - entry.shown.untilMs) < SHOWN_LEASE_MS) return;
    entry.shown = { text, untilMs };
    const lease = leaseOf(entry);
    model.setControl(entry.device.id, { ...(lease ? { lease } : {}), isArmed, isMoving });
  }

  function entryOf(id: string): Entry | undefined {
    const known = entries.get(id);
    const device = known?.device ?? model.device(id);
    if (known || !device) return known;
    const authority = createAuthority(() => settings.of(id), { isStopped: stopped !== undefined });
    const entry: Entry = {
      ...{
        device,
        moves: canMove(device),
        authority,
        isReady: false,
        timer: undefined,
        capabilities: new Set<string>(),
      },
      ...{ shown: { text: "", untilMs: 0 }, logged: "", tooMany: new Set<string>() },
    };
    entries.set(id, entry);
    return entry;
  }

  function onDevice(device: Device): void {
    const entry = entryOf(device.id);
    if (!entry || closing.signal.aborted) return;
    Object.assign(entry, { device, moves: canMove(device) });
    const capabilities = new Set(
      device.capabilities.filter(({ commands }) => Object.values(commands).some(needsControl)).map(({ id }) => id),
    );
    // Whoever is in control was in control of something that is no longer there.
    if (!entry.capabilities.isSubsetOf(capabilities)) apply(entry, entry.authority.end(steady()));
    entry.capabilities = capabilities;
    const isReady = device.state === "ready";
    if (entry.isReady === isReady) return;
    entry.isReady = isReady;
    apply(entry, entry.authority.setReady(isReady, steady()));
    // Nobody knows what it did while it was away, or before this process started.
    if (isReady && entry.moves) void stopper.stop(device.id, "connected");
    if (isReady && stopped) void rails.cut(device);
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    apply(entry, entry.authority.end(steady()));
    clearTimeout(entry.timer);
    entries.delete(id);
    stopper.supersede(id);
    rails.forget(id);
  }

  const refuse = (refusal: Refusal, startMs: number): Ack & { holder?: Holder } => {
    const { holder, ...rest } = refusal;
    return { ok: false, ...rest, ...(holder ? { holder: publicly(holder) } : {}), tookMs: steady() - startMs };
  };
  const unknown = (id: string): Refusal => ({ code: "device-unknown", detail: `There is no device ${id} here.` });

  /** Asks the rules about one device; the refusal is logged. */
  function ask(id: string, actor: Actor, what: string, decide: (authority: Authority, nowMs: number) => Decision) {
    const startMs = steady();
    const entry = entryOf(id);
    if (!entry) return { ack: refuse(unknown(id), startMs), answers: [], entry };
    const decision = decide(entry.authority, startMs);
    const answers = apply(entry, decision);
    if (!decision.refusal) return { ack: { ok: true, tookMs: steady() - startMs } as Ack, answers, entry };
    logRefusal(entry, actor, `${what} ${deviceName(id)}`, decision.refusal);
    return { ack: refuse(decision.refusal, startMs), answers, entry };
  }

  function logRefusal(entry: Entry, actor: Actor, what: string, { code, detail }: Refusal): void {
    if (code === "too-many") {
      // The log must not become the flood.
      if (entry.tooMany.has(actor.key)) return;
      entry.tooMany.add(actor.key);
    }
    note("warn", `${nameOf(actor)}: ${what} refused (${code}): ${detail}`);
  }

  function declaredBy(device: Device, capability: string, name: string) {
    const commands = device.capabilities.find(({ id }) => id === capability)?.commands ?? {};
    return Object.hasOwn(commands, name) ? commands[name] : undefined;
  }

  async function command(
    { device: id, capability }: { device: string; capability: string },
    { name, params }: { name: string; params: JsonObject },
    actor: Actor,
    onAccepted?: () => void,
  ): Promise<Ack> {
    const startMs = steady();
    const entry = entryOf(id);
    if (!entry) return refuse(unknown(id), startMs);
    const { device } = entry;
    const what = `${device.name} ${name}${paramsText(params)}`;
    const refused = (refusal: Refusal) => {
      logRefusal(entry, actor, what, refusal);
      return refuse(refusal, startMs);
    };
    const declared = declaredBy(device, capability, name);
    if (!declared)
      return refused({ code: "unsupported", detail: `${capability} of ${device.name} has no command ${name}.` });
    const isStop = isStopping(declared, name, params);
    if (actor.mayOnlyStop && !isStop) return refused({ code: "denied", detail: "You may look and stop, not control." });
    const setpoint: Setpoint = { id: randomUUID(), capability, name, params };
    const isSame = entry.authority.state(startMs).isMoving && entry.logged === `${actor.key} ${what}`;
    const goesOn = declared.effect === "powers" && !isStop && movesIn(device, capability);
    const decision = entry.authority.command({ ...setpoint, declared, goesOn }, actor, startMs);
    apply(entry, decision);
    if (decision.refusal) return refused(decision.refusal);
    entry.tooMany.delete(actor.key);
    if (goesOn) stopper.supersede(id);
    if (declared.effect === "moves" && !isStop) {
      stopper.supersede(id);
      entry.logged = `${actor.key} ${what}`;
    }
    const ack = await tell(id, setpoint, onAccepted);
    afterAnswer(entry, setpoint, ack);
    if (isStop && !ack.ok && declared.effect === "moves") void stopper.stop(id, "not-stopped");
    if (declared.effect === "powers" && ack.ok) rails.switched({ device: id, capability, params }, !isStop);
    // A program keeps something moving by saying the same again and again: one line is enough.
    if (!isSame || !ack.ok) note(ack.ok ? "info" : "warn", `${nameOf(actor)}: ${what}: ${answerText(ack)}.`);
    return ack;
  }

  /** Everything that moves is told to stop before this returns. */
  function stopDevice(entry: Entry): Promise<Ack> | undefined {
    const { device, moves } = entry;
    const startMs = steady();
    const decision = entry.authority.stop(startMs);
    const answers = apply(entry, moves ? decision : { orders: [] });
    const hasRails = railsOf(device).length > 0;
    if (!moves && !hasRails) return undefined;
    const cutting = hasRails ? rails.cut(device) : Promise.resolve([]);
    if (!entry.isReady) {
      const detail = "It is told to stop when it connects again.";
      return Promise.resolve({ ok: false, code: "device-lost", detail, tookMs: 0 });
    }
    const all = Promise.all([...answers, cutting]).then((parts) => parts.flat());
    const worst = all.then((acks): Ack => acks.find(({ ok }) => !ok) ?? { ok: true, tookMs: steady() - startMs });
    return within(worst, 2 * ackMs, () => ({ ok: false, code: "no-answer", tookMs: steady() - startMs }));
  }

  let writing: Promise<void> | undefined;
  /** Writes the last stop, until it is written or cleared. One write at a time, however many people stop. */
  function write(): Promise<void> {
    writing ??= (async () => {
      for (let written: typeof stopped; stopped && stopped !== written && !closing.signal.aborted; ) {
        const last = stopped;
        try {
          await stops.write(workspaceId, last);
          written = last;
        } catch (error) {
          onFault(error);
          await pause(WRITE_AGAIN_MS, closing.signal);
        }
      }
    })().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  const onWire = (): Stopped | null => (stopped ? { by: stopped.by, at: new Date(stopped.atMs).toISOString() } : null);

  let stopLine = { by: "", atMs: 0 };
  async function stop(by: Actor): Promise<{ devices: Record<string, Ack> }> {
    // Each stop has a time of its own, so that clearing one never clears a later one.
    stoppedAtMs = Math.max(now(), stoppedAtMs + 1);
    const mine = { by: nameOf(by), atMs: stoppedAtMs };
    stopped = mine;
    // What moves does not wait for a hundred sensors.
    const inOrder = [...entries.values()].sort((a, b) => Number(b.moves) - Number(a.moves));
    const answers = inOrder.map((entry) => ({ device: entry.device, answer: stopDevice(entry) }));
    const writing = within(write(), ackMs, () => undefined);
    if (mine.by !== stopLine.by || steady() - stopLine.atMs >= STOP_LINE_MS) {
      stopLine = { by: mine.by, atMs: steady() };
      note("error", `${mine.by} stopped all devices.`);
    }
    listeners.emit(onWire());
    const devices: Record<string, Ack> = {};
    for (const { device, answer } of answers) {
      const ack = await answer;
      if (!ack) continue;
      devices[device.id] = ack;
      if (!ack.ok) note("error", `${device.name} has not confirmed that it stopped: ${answerText(ack)}.`);
    }
    await writing;
    return { devices };
  }

  async function clear(actor: Actor): Promise<Ack> {
    const startMs = steady();
    const holds = [...entries.values()].some(({ authority }) => authority.state(startMs).holder?.key === actor.key);
    if (!holds) {
      const detail = "Only who is in control of a device clears the stop. Take control of one first.";
      note("warn", `${nameOf(actor)}: clearing the stop refused (not-held): ${detail}`);
      return refuse({ code: "not-held", detail }, startMs);
    }
    const cleared = stopped;
    if (!cleared) return { ok: true, tookMs: 0 };
    // Otherwise a write on its way would bring the stop back.
    if (writing) await within(writing, ackMs, () => undefined);
    if (writing)
      throw new Problem("database-unavailable", { detail: "The stop is not written yet. Try again shortly." });
    await stops.clear(workspaceId, cleared.atMs);
    if (stopped !== cleared) return refuse({ code: "stopped", detail: "Somebody stopped again meanwhile." }, startMs);
    stopped = undefined;
    for (const entry of entries.values()) apply(entry, entry.authority.clear(steady()));
    note("warn", `${nameOf(actor)} cleared the stop.`);
    listeners.emit(null);
    return { ok: true, tookMs: steady() - startMs };
  }

  const unlisten = [model.on("device", onDevice), model.on("removed", forget)];
  for (const device of model.devices()) onDevice(device);

  return {
    async take(id, actor, { takeOver }) {
      const before = entries.get(id)?.authority.state(steady()).holder;
      const { ack, answers, entry } = ask(id, actor, "control of", (authority, nowMs) =>
        authority.take(actor, takeOver, nowMs),
      );
      if (!ack.ok || !entry) return ack;
      if (before?.key !== actor.key) note("info", `${nameOf(actor)} took control of ${deviceName(id)}.`);
      await Promise.all(answers);
      const lease = leaseOf(entry);
      return { ...ack, ...(lease ? { lease } : {}) };
    },
    renew(id, actor) {
      const entry = entries.get(id);
      const startMs = steady();
      if (!entry) return refuse(unknown(id), startMs);
      const decision = entry.authority.renew(actor, startMs);
      apply(entry, decision);
      return decision.refusal ? refuse(decision.refusal, startMs) : { ok: true, tookMs: 0 };
    },
    async leave(actor, id) {
      const left = id === undefined ? [...entries.values()] : [entries.get(id)].filter((entry) => entry !== undefined);
      await Promise.all(left.flatMap((entry) => apply(entry, entry.authority.leave(actor, steady()))));
    },
    arm(id, actor) {
      const { ack } = ask(id, actor, "arming", (authority, nowMs) => authority.arm(actor, nowMs));
      if (ack.ok) note("info", `${nameOf(actor)} armed ${deviceName(id)}.`);
      return ack;
    },
    async disarm(id, actor) {
      const startMs = steady();
      const { ack, answers } = ask(id, actor, "disarming", (authority, nowMs) => authority.disarm(nowMs));
      if (ack.ok) note("info", `${nameOf(actor)} disarmed ${deviceName(id)}.`);
      const failed = (await Promise.all(answers)).find(({ ok }) => !ok);
      return { ...(failed ?? ack), tookMs: steady() - startMs };
    },
    press(id, actor) {
      const entry = entries.get(id);
      if (entry) apply(entry, entry.authority.press(actor, steady()));
    },
    async release(id, actor) {
      const entry = entries.get(id);
      if (entry) await Promise.all(apply(entry, entry.authority.release(actor, steady())));
    },
    ...{ command, stop, clear, stopped: onWire },
    onStopped: listeners.add,
    async close() {
      for (const end of unlisten) end();
      const answers = [...entries.values()].flatMap((entry) => apply(entry, entry.authority.end(steady())));
      closing.abort();
      for (const entry of entries.values()) clearTimeout(entry.timer);
      await Promise.all(answers);
      stopper.close();
      await settings.close();
    },
  };
}

const publicly = ({ user, tab, program }: Actor): Holder => ({
  user,
  ...(tab === undefined ? {} : { tab }),
  ...(program === undefined ? {} : { program }),
});
