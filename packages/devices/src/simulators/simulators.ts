import { setTimeout as sleep } from "node:timers/promises";
import { DEVICES_LIMITS, type RunningSimulator } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import type { OpenHub } from "../hub/hub.ts";
import type { Dependencies, Mqtt, SimulatorAccess, StartedSimulator, WorkspaceOf } from "../services.ts";

const { maxSimulators, maxSimulatorsHere, maxSimulatorsPerPerson, simulatorIdleMs, simulatorLifeMs, simulatorStartMs } =
  DEVICES_LIMITS;
const LOOK_EVERY_MS = 5_000;

export type SimulatorRunner = {
  running(workspaceId: string): RunningSimulator[];
  /** `by`: the id of whoever asks. */
  start(workspace: WorkspaceOf, hub: OpenHub, kind: string, by: string): Promise<RunningSimulator>;
  /** False: it is not a simulator that runs here. */
  end(workspaceId: string, device: string): Promise<boolean>;
  endOf(workspaceId: string): Promise<void>;
  close(): Promise<void>;
};

type Slot = {
  workspaceId: string;
  device: string;
  kind: string;
  by: string;
  untilMs: number;
  /** When a page of the workspace was last there. */
  watchedAtMs: number;
  access?: SimulatorAccess;
  started?: StartedSimulator;
};

export type RunnerOptions = Pick<Dependencies, "simulators" | "now" | "onFault"> & {
  openForSimulator: Mqtt["openForSimulator"];
  /** How many pages of a workspace there are; undefined: they may be on other instances. */
  pagesOf(workspaceId: string): number | undefined;
  /** For tests. */
  lookEveryMs?: number;
};

/** Simulators that people start from a page, in this process. */
export function openSimulators(options: RunnerOptions): SimulatorRunner {
  const { simulators, now, onFault, openForSimulator, pagesOf, lookEveryMs = LOOK_EVERY_MS } = options;
  const slots = new Set<Slot>();
  let isClosed = false;

  async function end(slot: Slot): Promise<void> {
    if (!slots.delete(slot)) return;
    await slot.started?.close().catch(onFault);
    slot.access?.end();
  }

  const endAll = async (isMeant: (slot: Slot) => boolean): Promise<void> => {
    await Promise.all([...slots].filter(isMeant).map(end));
  };

  function look(): void {
    const nowMs = now();
    for (const slot of slots) {
      if (pagesOf(slot.workspaceId) !== 0) slot.watchedAtMs = nowMs;
    }
    void endAll(({ untilMs, watchedAtMs }) => nowMs >= untilMs || nowMs - watchedAtMs >= simulatorIdleMs);
  }
  const looking = setInterval(look, lookEveryMs).unref();

  /** sim-motor, or the next number whose name no device and no simulator uses. */
  function freeName({ id }: WorkspaceOf, hub: OpenHub, kind: string, from: number): string {
    for (let number = from; ; number += 1) {
      const name = number === 1 ? `sim-${kind}` : `sim-${kind}-${number}`;
      const isSimulated = [...slots].some((slot) => slot.workspaceId === id && slot.device === name);
      const state = hub.view.device(name)?.state ?? "lost";
      if (!isSimulated && (state === "lost" || state === "disconnected")) return name;
    }
  }

  /** The place is taken before anything is waited for. */
  function reserve(workspace: WorkspaceOf, hub: OpenHub, kind: string, by: string): Slot {
    const { id } = workspace;
    const own = [...slots].filter(({ workspaceId }) => workspaceId === id);
    if (isClosed) throw new Problem("not-ready");
    if (own.length >= maxSimulators) throw tooMany(`A workspace can have ${maxSimulators} simulators. End one first.`);
    if ([...slots].filter((slot) => slot.by === by).length >= maxSimulatorsPerPerson)
      throw tooMany(`A person can have ${maxSimulatorsPerPerson} simulators in this server. End one first.`);
    if (slots.size >= maxSimulatorsHere)
      throw tooMany(`${maxSimulatorsHere} simulators run in this server, which is its limit. Try again later.`);
    const device = freeName(workspace, hub, kind, 1);
    const slot: Slot = { workspaceId: id, device, kind, by, untilMs: now() + simulatorLifeMs, watchedAtMs: now() };
    slots.add(slot);
    return slot;
  }

  return {
    running: (id) => [...slots].filter(({ workspaceId, started }) => workspaceId === id && started).map(toWire),
    async start(workspace, hub, kind, by) {
      const known = simulators?.kinds.some((one) => one.kind === kind);
      if (!simulators)
        throw new Problem("simulators-off", { detail: "SIMULATORS is false in the settings of this server." });
      if (!known) throw unknownKind(kind, simulators.kinds);
      const slot = reserve(workspace, hub, kind, by);
      try {
        let access = await openForSimulator(workspace, slot.device);
        for (let number = 2; !access && number <= maxSimulators + 1; number += 1) {
          slot.device = freeName(workspace, hub, kind, number);
          access = await openForSimulator(workspace, slot.device);
        }
        if (!access)
          throw tooMany(`The names sim-${kind}, sim-${kind}-2 … are taken by devices. Revoke the key of one.`);
        slot.access = access;
        slot.started = simulators.start({ kind, id: slot.device, ...access });
        const late = sleep(simulatorStartMs, "late" as const, { ref: false });
        if ((await Promise.race([slot.started.ready, late])) === "late" || !slots.has(slot))
          throw new Problem("not-ready", {
            detail: "The simulator could not connect to the broker. Try again shortly.",
          });
        return toWire(slot);
      } catch (error) {
        await end(slot);
        throw error;
      }
    },
    async end(id, device) {
      const slot = [...slots].find((one) => one.workspaceId === id && one.device === device);
      if (slot) await end(slot);
      return slot !== undefined;
    },
    endOf: (id) => endAll(({ workspaceId }) => workspaceId === id),
    async close() {
      isClosed = true;
      clearInterval(looking);
      await endAll(() => true);
    },
  };
}

const toWire = ({ device, kind, untilMs }: Slot): RunningSimulator => ({
  ...{ device, kind, until: new Date(untilMs).toISOString() },
});

const tooMany = (detail: string): Problem => new Problem("too-many-of-these", { detail });

const unknownKind = (kind: string, kinds: readonly { kind: string }[]): Problem =>
  new Problem("invalid-parameter", {
    detail: `"kind" is ${JSON.stringify(kind)}. Simulators are: ${kinds.map((one) => one.kind).join(", ")}.`,
    errors: [{ parameter: "kind", message: "is not a kind of simulator" } as never],
  });
