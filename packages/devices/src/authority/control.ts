import { randomUUID } from "node:crypto";
import type { Ack, Device } from "@backplane/contract/devices";
import type { LogLevel } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Control, Model, Reader } from "../services.ts";
import { createAsking, unknownDevice } from "./asking.ts";
import { createCommand, createTell, noReader } from "./commands.ts";
import type { Setpoint } from "./decisions.ts";
import type { FollowedSettings } from "./device-settings.ts";
import { createEntries, type Entry } from "./entries.ts";
import { answerText, stopText } from "./lines.ts";
import { createRails } from "./rails.ts";
import { nameOf } from "./rules.ts";
import { createStopper } from "./stopper.ts";
import { canMove, needsControl } from "./stopping.ts";
import type { Stops } from "./stops.ts";
import { createWorkspaceStop } from "./workspace-stop.ts";

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

/**
 * Control of the devices of one workspace: the rules of `authority.ts` with timers, readers and the log. What moves in
 * the real world stops when nobody is in control of it.
 */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { model, stops, workspaceId, note, now, onFault, settings } = options;
  const steady = options.steady ?? (() => performance.now());
  const closing = new AbortController();
  const start = await stops.read(workspaceId).catch(async (error) => {
    await settings.close().catch(onFault);
    throw error;
  });

  const readerOf = (id: string) => options.readerOf(entries.get(id)?.device.source ?? "");
  const tell = createTell({ readerOf, steady, onFault });
  const stopper = createStopper({
    ...{ isReachable: (id) => entries.isReachable(id), steady, onFault },
    send: (id) => readerOf(id)?.stop(id) ?? noReader(),
    onLateAnswer: (id, ack) =>
      note(ack.ok ? "info" : "error", `${entries.nameOf(id)}, told again to stop: ${answerText(ack)}.`),
  });
  const entries = createEntries({
    ...{ model, settings, now, steady, closing: closing.signal },
    isStopped: () => workspaceStop.isStopped(),
    repeat: (entry, setpoint) => void tell(entry.device.id, setpoint).then((ack) => afterAnswer(entry, setpoint, ack)),
    stop(entry, { why, holder }) {
      const answer = stopper.stop(entry.device.id, why);
      const level = why === "released" ? "info" : "warn";
      if (why !== "stopped") note(level, stopText(why, entry.device.name, holder && nameOf(holder)));
      return answer;
    },
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
    isGoingOn: (id) => workspaceStop.isStopped() && entries.isReachable(id),
    signal: closing.signal,
  });
  const asking = createAsking({ entries, steady, note });
  const workspaceStop = createWorkspaceStop({
    ...{ workspaceId, stops, start, entries, asking, rails, note, now, steady, onFault },
    closing: closing.signal,
  });
  const command = createCommand({ entries, asking, stopper, rails, tell, afterAnswer, note, steady });

  /** A device that refuses what it was told may still do what it was told before. */
  function afterAnswer(entry: Entry, { id }: Setpoint, { ok, code }: Ack): void {
    if (!ok && code !== "no-answer") entries.apply(entry, entry.authority.refused(id, steady()));
  }

  function onDevice(device: Device): void {
    const entry = entries.of(device.id);
    if (!entry || closing.signal.aborted) return;
    Object.assign(entry, { device, moves: canMove(device) });
    const capabilities = new Set(
      device.capabilities.filter(({ commands }) => Object.values(commands).some(needsControl)).map(({ id }) => id),
    );
    // Whoever is in control was in control of something that is no longer there.
    if (!entry.capabilities.isSubsetOf(capabilities)) entries.apply(entry, entry.authority.end(steady()));
    entry.capabilities = capabilities;
    const isReady = device.state === "ready";
    if (entry.isReady === isReady) return;
    entry.isReady = isReady;
    entries.apply(entry, entry.authority.setReady(isReady, steady()));
    // Nobody knows what it did while it was away, or before this process started.
    if (isReady && entry.moves) void stopper.stop(device.id, "connected");
    if (isReady && workspaceStop.isStopped()) void rails.cut(device);
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.apply(entry, entry.authority.end(steady()));
    entries.remove(entry);
    stopper.supersede(id);
    rails.forget(id);
  }

  const unlisten = [model.on("device", onDevice), model.on("removed", forget)];
  for (const device of model.devices()) onDevice(device);

  const { stop, clear, stopped, onStopped } = workspaceStop;
  return {
    async take(id, actor, { takeOver }) {
      const before = entries.get(id)?.authority.state(steady()).holder;
      const { ack, answers, entry } = asking.ask(id, actor, "control of", (authority, nowMs) =>
        authority.take(actor, takeOver, nowMs),
      );
      if (!ack.ok || !entry) return ack;
      if (before?.key !== actor.key) note("info", `${nameOf(actor)} took control of ${entries.nameOf(id)}.`);
      await Promise.all(answers);
      const lease = entries.leaseOf(entry);
      return { ...ack, ...(lease ? { lease } : {}) };
    },
    renew(id, actor) {
      const entry = entries.get(id);
      const startMs = steady();
      if (!entry) return asking.refuse(unknownDevice(id), startMs);
      const decision = entry.authority.renew(actor, startMs);
      entries.apply(entry, decision);
      return decision.refusal ? asking.refuse(decision.refusal, startMs) : { ok: true, tookMs: 0 };
    },
    async leave(actor, id) {
      const left = id === undefined ? entries.all() : [entries.get(id)].filter((entry) => entry !== undefined);
      await Promise.all(left.flatMap((entry) => entries.apply(entry, entry.authority.leave(actor, steady()))));
    },
    arm(id, actor) {
      const { ack } = asking.ask(id, actor, "arming", (authority, nowMs) => authority.arm(actor, nowMs));
      if (ack.ok) note("info", `${nameOf(actor)} armed ${entries.nameOf(id)}.`);
      return ack;
    },
    async disarm(id, actor) {
      const startMs = steady();
      const { ack, answers } = asking.ask(id, actor, "disarming", (authority, nowMs) => authority.disarm(nowMs));
      if (ack.ok) note("info", `${nameOf(actor)} disarmed ${entries.nameOf(id)}.`);
      const failed = (await Promise.all(answers)).find(({ ok }) => !ok);
      return { ...(failed ?? ack), tookMs: steady() - startMs };
    },
    press(id, actor) {
      const entry = entries.get(id);
      if (entry) entries.apply(entry, entry.authority.press(actor, steady()));
    },
    async release(id, actor) {
      const entry = entries.get(id);
      if (entry) await Promise.all(entries.apply(entry, entry.authority.release(actor, steady())));
    },
    ...{ command, stop, clear, stopped, onStopped },
    async close() {
      for (const end of unlisten) end();
      const answers = entries.all().flatMap((entry) => entries.apply(entry, entry.authority.end(steady())));
      closing.abort();
      entries.endTimers();
      await Promise.all(answers);
      stopper.close();
      await settings.close();
    },
  };
}
