import type { Bus } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import type { AttachedLine, Model, SourceNow, SourceStatuses } from "../services.ts";
import type { Adapter } from "./adapter.ts";
import type { Line } from "./line.ts";
import type { Network } from "./link.ts";
import { type RunningSource, startSource } from "./source.ts";
import type { SourceStore, StoredSource } from "./store.ts";

/** On the instance that holds the devices of the workspace: only one of them connects. */
export type HeldSources = SourceStatuses & {
  /** What commands devices of this source, as `Device.source` names it. */
  of(source: string): RunningSource | undefined;
  close(): Promise<void>;
};

export type SourceBook = {
  /** Starts those that are set up, and follows what is added and removed, on whichever instance. */
  hold(workspaceId: string, model: Model): Promise<HeldSources>;
  /** Something was added or removed. */
  changed(workspaceId: string): Promise<void>;
};

type Running = { text: string; source: RunningSource };

const channelOf = (workspaceId: string): string => `devices:sources:${workspaceId}`;

export function createSourceBook(options: {
  store: Pick<SourceStore, "list">;
  adapters: readonly Adapter[];
  network: Network;
  bus: Pick<Bus, "publish" | "subscribe" | "onStateChange">;
  now: Clock;
  note(workspaceId: string, level: "info" | "warn", message: string): void;
  onFault(error: unknown): void;
}): SourceBook {
  const { store, adapters, network, bus, now, onFault } = options;

  async function hold(workspaceId: string, model: Model): Promise<HeldSources> {
    const running = new Map<string, Running>();
    /** By name: devices at serial ports of pages. */
    const attached = new Map<string, RunningSource>();
    const changes = createListeners<readonly SourceNow[]>(onFault);
    let loading = Promise.resolve();
    let isClosed = false;

    const all = (): SourceNow[] =>
      Array.from(running, ([name, { source }]) => ({ name, ...source.status(), devices: [...source.devices()] }));

    function start({ name, kind, settings }: StoredSource): RunningSource | undefined {
      const adapter = adapters.find((known) => known.kind === kind);
      // It was set up by a later version, during an upgrade.
      if (!adapter) return undefined;
      return startSource({
        ...{ name, adapter, settings, ground: model, network, now, onFault },
        onStatus({ state, reason }) {
          if (state === "connected") options.note(workspaceId, "info", `The source ${name} is connected.`);
          else if (reason !== undefined) options.note(workspaceId, "warn", `The source ${name}: ${reason}`);
          changes.emit(all());
        },
      });
    }

    function attach(kind: string, line: Line): AttachedLine | undefined {
      const adapter = adapters.find((known) => known.kind === kind);
      const stopBytes = adapter?.stopBytes?.({});
      if (!adapter || !stopBytes) return undefined;
      const isTaken = (name: string) => running.has(name) || attached.has(name) || model.device(name) !== undefined;
      let [name, count] = [`${kind}-serial`, 1];
      while (isTaken(name)) {
        count += 1;
        name = `${kind}-serial-${count}`;
      }
      const source = startSource({
        ...{ name, adapter, settings: {}, ground: model, network, now, onFault },
        line: {
          connect: line.connect,
          onEnd(reason) {
            attached.delete(name);
            options.note(workspaceId, "info", `${name}, at a serial port of a page, has left: ${reason}`);
            line.onEnd(reason);
          },
        },
        onStatus: ({ state }) =>
          state === "connected" && options.note(workspaceId, "info", `${name} is at a serial port of a page.`),
      });
      attached.set(name, source);
      return { name, stopBytes };
    }

    async function load(): Promise<void> {
      const stored = new Map((await store.list(workspaceId)).map((one) => [one.name, one]));
      if (isClosed) return;
      for (const [name, { text, source }] of running) {
        if (JSON.stringify(stored.get(name)) === text) continue;
        running.delete(name);
        await source.remove();
      }
      for (const [name, one] of stored) {
        const source = running.has(name) ? undefined : start(one);
        if (source) running.set(name, { text: JSON.stringify(one), source });
      }
      changes.emit(all());
    }
    /** One after the other, so that a source is not started twice. */
    const loadAgain = (): Promise<void> => {
      loading = loading.then(load).catch(onFault);
      return loading;
    };
    const unsubscribe = await bus.subscribe(channelOf(workspaceId), loadAgain);
    // What was published while the bus was away is not told again.
    const stopListening = bus.onStateChange((state) => void (state === "up" && loadAgain()));
    const stopDevices = [model.on("device", onDevice), model.on("removed", onDevice)];
    let shown = "";
    function onDevice(): void {
      const text = JSON.stringify(Array.from(running.values(), ({ source }) => source.devices()));
      if (text === shown) return;
      shown = text;
      changes.emit(all());
    }
    async function close(): Promise<void> {
      isClosed = true;
      for (const stop of stopDevices) stop();
      stopListening();
      await unsubscribe();
      for (const { source } of running.values()) source.close();
      for (const source of attached.values()) source.close();
    }
    try {
      const first = loading.then(load);
      loading = first.catch(() => {});
      await first;
    } catch (error) {
      await close().catch(onFault);
      throw error;
    }
    return {
      all,
      onChange: changes.add,
      attach,
      of: (wanted) =>
        running.values().find(({ source }) => source.source === wanted)?.source ??
        attached.values().find(({ source }) => source === wanted),
      close,
    };
  }

  return {
    hold,
    async changed(workspaceId) {
      await bus.publish(channelOf(workspaceId), null);
    },
  };
}
