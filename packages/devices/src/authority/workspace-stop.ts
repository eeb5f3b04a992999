import { type Ack, DEVICES_LIMITS, type Stopped } from "@backplane/contract/devices";
import type { LogLevel } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { Actor, Control } from "../services.ts";
import type { Asking } from "./asking.ts";
import type { Entries, Entry } from "./entries.ts";
import { answerText } from "./lines.ts";
import type { Rails } from "./rails.ts";
import { nameOf } from "./rules.ts";
import { pause, within } from "./stopper.ts";
import { railsOf } from "./stopping.ts";
import type { Stops } from "./stops.ts";

const { ackMs } = DEVICES_LIMITS;
const WRITE_AGAIN_MS = 1_000;
/** Somebody who presses again and again within this time is one line of the log; each press is sent. */
const STOP_LINE_MS = 1_000;

type Options = {
  workspaceId: string;
  stops: Stops;
  /** As it was remembered. */
  start: Awaited<ReturnType<Stops["read"]>>;
  entries: Entries;
  asking: Asking;
  rails: Pick<Rails, "cut">;
  note(level: LogLevel, message: string): void;
  now: Clock;
  steady: Clock;
  closing: AbortSignal;
  onFault(error: unknown): void;
};

export type WorkspaceStop = Pick<Control, "stop" | "clear" | "stopped" | "onStopped"> & { isStopped(): boolean };

/** The stop of everything, which is remembered until somebody clears it. */
export function createWorkspaceStop(options: Options): WorkspaceStop {
  const { workspaceId, stops, entries, asking, rails, note, now, steady, closing, onFault } = options;
  const listeners = createListeners<Stopped | null>(onFault);
  let stopped = options.start;
  let stoppedAtMs = stopped?.atMs ?? 0;

  /** Everything that moves is told to stop before this returns. */
  function stopDevice(entry: Entry): Promise<Ack> | undefined {
    const { device, moves } = entry;
    const startMs = steady();
    const decision = entry.authority.stop(startMs);
    const answers = entries.apply(entry, moves ? decision : { orders: [] });
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
      for (let written: typeof stopped; stopped && stopped !== written && !closing.aborted; ) {
        const last = stopped;
        try {
          await stops.write(workspaceId, last);
          written = last;
        } catch (error) {
          onFault(error);
          await pause(WRITE_AGAIN_MS, closing);
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
    const inOrder = entries.all().sort((a, b) => Number(b.moves) - Number(a.moves));
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
    const holds = entries.all().some(({ authority }) => authority.state(startMs).holder?.key === actor.key);
    if (!holds) {
      const detail = "Only who is in control of a device clears the stop. Take control of one first.";
      note("warn", `${nameOf(actor)}: clearing the stop refused (not-held): ${detail}`);
      return asking.refuse({ code: "not-held", detail }, startMs);
    }
    const cleared = stopped;
    if (!cleared) return { ok: true, tookMs: 0 };
    // Otherwise a write on its way would bring the stop back.
    if (writing) await within(writing, ackMs, () => undefined);
    if (writing)
      throw new Problem("database-unavailable", { detail: "The stop is not written yet. Try again shortly." });
    await stops.clear(workspaceId, cleared.atMs);
    if (stopped !== cleared)
      return asking.refuse({ code: "stopped", detail: "Somebody stopped again meanwhile." }, startMs);
    stopped = undefined;
    for (const entry of entries.all()) entries.apply(entry, entry.authority.clear(steady()));
    note("warn", `${nameOf(actor)} cleared the stop.`);
    listeners.emit(null);
    return { ok: true, tookMs: steady() - startMs };
  }

  return { stop, clear, stopped: onWire, onStopped: listeners.add, isStopped: () => stopped !== undefined };
}
