import type { Ack, Device, DevicesHubMessage, DevicesPageMessage, History } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import { call } from "../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import { Connection, type ConnectionFault } from "../live/connection.ts";
import { browserEnvironment, type Environment, socketUrl } from "../live/environment.ts";
import { createStore, type Store } from "../store.ts";
import { createAsks } from "./asks.ts";
import type { Control, Devices, DevicesStatus, OpenDevices, PanelClock, PanelLines } from "./devices.ts";
import { createSerial, type SerialPorts } from "./serial.ts";
import { createSubscriptions, subscribeMessage } from "./subscriptions.ts";
import { openWorkerSocket } from "./worker-socket.ts";

/** What the client needs from the browser; tests have their own. */
export type DevicesEnvironment = Environment & {
  isHidden(): boolean;
  onHidden(listener: () => void): () => void;
  /** The page is about to go. */
  onLeave(listener: () => void): () => void;
  /** Undefined: this browser has no serial ports for pages. */
  serialPorts: SerialPorts | undefined;
};

type Shown = { devices: readonly Device[] };
type Distribute<Message> = Message extends { id: number } ? Omit<Message, "id"> : never;
type Question = Distribute<Exclude<DevicesPageMessage, { type: "subscribe" | "unsubscribe" }>>;
type Telling = Extract<DevicesPageMessage, { type: "renew-lease" | "leave" | "press" | "release" }>["type"];

type Received = Exclude<DevicesHubMessage["type"], "renewed">;
type Message<Type extends Received> = { [Each in Type]: Extract<DevicesHubMessage, { type: Each }> }[Type];
type Receivers = { [Type in Received]: (message: Message<Type>) => void };

const INITIAL_STATUS: DevicesStatus = {
  ...{ connection: "connecting", detail: undefined, mayControl: false, stopped: null },
  ...{ stopAnswer: null, recording: null, replay: null },
};

/** The page's one connection to the hub of its workspace. */
export function openDevices(
  workspace: WorkspaceName,
  environment: DevicesEnvironment = browserOf(workspace),
): OpenDevices {
  const status = createStore(INITIAL_STATUS);
  const list = createStore<Shown>({ devices: [] });
  const subscriptions = createSubscriptions();
  const asks = createAsks(environment.setTimer);
  let lastId = 0;
  /** This page, as leases name it. */
  let tab: string | undefined;
  const newId = () => {
    lastId += 1;
    return lastId;
  };

  const receive: Receivers = {
    welcome(message) {
      tab = message.tab;
      sendWants();
      list.update({ devices: sorted(message.devices) });
      const { mayControl, stopped, recording } = message;
      // A new connection is live.
      status.update({ connection: "open", detail: undefined, mayControl, stopped, recording, replay: null });
    },
    devices: ({ changed, removed }) => list.update({ devices: withChanges(list.state().devices, changed, removed) }),
    values: ({ batches }) => subscriptions.receive(batches, environment.onFault),
    lines: (message) => lines.receive(message.lines, message.dropped, message.reset === true),
    recording: ({ recording }) => status.update({ recording: recording.state === "recording" ? recording : null }),
    "recording-removed"() {},
    replay({ id, replay, devices }) {
      if (devices) list.update({ devices: sorted(devices) });
      status.update({ replay });
      if (id !== undefined) asks.receive(id, "reached", { ok: true, tookMs: 0 });
    },
    ack({ id, stage, ack, devices }) {
      if (devices) status.update({ stopAnswer: devices });
      asks.receive(id, stage, ack);
    },
    "serial-opened": (message) => serial.opened(message),
    serial: ({ port, data }) => serial.receive(port, data),
    "serial-ended": ({ port, reason }) => serial.ended(port, reason),
    stopped: ({ stopped }) => status.update(stopped ? { stopped } : { stopped, stopAnswer: null }),
    refused({ id, detail }) {
      if (id !== undefined && serial.refused(id, detail)) return;
      if (id !== undefined && !asks.refuse(id, detail)) environment.onFault(new Error(detail));
    },
  };

  const lost = (connection: "lost" | "refused") => (fault: ConnectionFault | undefined) => {
    asks.refuseAll();
    serial.lost();
    status.update({ connection, detail: fault?.detail });
  };
  const connection = new Connection<DevicesHubMessage, DevicesPageMessage>(environment, {
    // A newer server may send what this page does not know.
    onMessage: <Type extends Received>(message: Message<Type>) => receive[message.type]?.(message),
    // With an id it is the answer to a question, and the connection stays.
    readFault: (message) => (message.type === "refused" && message.id === undefined ? message : undefined),
    onLost: lost("lost"),
    onRefused: lost("refused"),
  });
  const serial = createSerial(environment, { newId, send: (message) => connection.send(message) });
  const lines = createLines(connection.send.bind(connection), environment.onFault);

  function sendWants(): void {
    if (environment.isHidden()) connection.send({ type: "visible", visible: false });
    for (const message of subscriptions.messages()) connection.send(message);
    lines.connect();
  }
  const stopHiding = environment.onHidden(() => {
    const isHidden = environment.isHidden();
    subscriptions.setHidden(isHidden);
    connection.send({ type: "visible", visible: !isHidden });
  });
  subscriptions.setHidden(environment.isHidden());

  function ask(question: Question, onAccepted?: () => void): Promise<Ack> {
    const id = newId();
    return asks.ask(id, () => connection.send({ ...question, id } as DevicesPageMessage), onAccepted);
  }
  const stop = () => {
    status.update({ stopAnswer: "asked" });
    return ask({ type: "stop" });
  };
  const clear = () => ask({ type: "clear" });

  const devices: Devices = {
    ...{ stop, clear, serial: serial.forPanels },
    replay: (change) => ask({ type: "replay", ...change }),
    goLive: () => ask({ type: "live" }),
    list: () => list.state().devices,
    onList: list.subscribe,
    status: status.state,
    onStatus: status.subscribe,
    onLines: lines.listen,
    subscribe(want, onBatch) {
      const id = newId();
      subscriptions.add(id, want, onBatch);
      connection.send(subscribeMessage(id, want));
      return () => {
        if (subscriptions.remove(id)) connection.send({ type: "unsubscribe", id });
      };
    },
    async history({ device, capability }, { fromMs, toMs, points }) {
      const query = new URLSearchParams({
        from: String(fromMs),
        ...(toMs === undefined ? {} : { to: String(toMs) }),
        ...(points === undefined ? {} : { points: String(points) }),
      });
      const path = workspaceRoute(workspace, `/devices/${device}/${capability}/history?${query}`);
      const answer = await call<History>({ method: "GET", path });
      return answer.ok ? answer.value : undefined;
    },
    command: ({ device, capability }, name, params, { onAccepted } = {}) =>
      ask({ type: "command", device, capability, name, params }, onAccepted),
    control: (device) =>
      controlOf(device, { ask, stop, clear, status, list, tell, isThisPage: (name) => name === tab }),
  };
  function tell(type: Telling, device: string): void {
    connection.send({ type, device });
  }

  return {
    devices,
    clock: clockOf(status, () => connection.serverNowMs()),
    close() {
      stopHiding();
      serial.close();
      asks.refuseAll();
      connection.close();
    },
  };
}

/** Live, it is the hub's time; in a replay, that of the recording. */
const clockOf = (status: Store<DevicesStatus>, hubNowMs: () => number): PanelClock => ({
  mode: () => (status.state().replay ? "replay" : "live"),
  nowMs() {
    const { replay } = status.state();
    if (!replay) return hubNowMs();
    return Math.min(replay.endMs, replay.atMs + (hubNowMs() - replay.sinceMs) * replay.speed);
  },
  onChange: status.subscribe,
});

type ControlParts = Pick<Control, "stop" | "clear"> & {
  ask(question: Question): Promise<Ack>;
  tell(type: Telling, device: string): void;
  status: Store<DevicesStatus>;
  list: Store<Shown>;
  isThisPage(tab: string): boolean;
};

function controlOf(id: string, { ask, tell, stop, clear, status, list, isThisPage }: ControlParts): Control {
  return {
    ...{ stop, clear },
    take: ({ takeOver = false } = {}) => ask({ type: "take", device: id, takeOver }),
    renew: () => tell("renew-lease", id),
    leave: () => tell("leave", id),
    arm: () => ask({ type: "arm", device: id }),
    disarm: () => ask({ type: "disarm", device: id }),
    press: () => tell("press", id),
    release: () => tell("release", id),
    state() {
      const device = list.state().devices.find((each) => each.id === id);
      const holder = device?.lease?.holder;
      return { ...status.state(), device, holder, isMine: holder?.tab !== undefined && isThisPage(holder.tab) };
    },
    onState(listener) {
      const stops = [list.subscribe(listener), status.subscribe(listener)];
      return () => {
        for (const each of stops) each();
      };
    },
  };
}

type Lines = {
  listen: Devices["onLines"];
  connect(): void;
  receive(lines: PanelLines["lines"], dropped: number, isReset: boolean): void;
};

/** The hub sends the lines that it keeps whenever lines are switched on; what was on its way then comes before them. */
function createLines(send: (message: DevicesPageMessage) => boolean, onFault: (error: unknown) => void): Lines {
  const listeners = createListeners<PanelLines>(onFault);
  const connect = () => {
    if (listeners.size > 0) send({ type: "lines", on: true });
  };
  return {
    connect,
    listen(listener) {
      const stop = listeners.add(listener);
      send({ type: "lines", on: false });
      connect();
      return () => {
        stop();
        if (listeners.size === 0) send({ type: "lines", on: false });
      };
    },
    receive(lines, dropped, isReset) {
      listeners.emit({ lines, dropped, isHistory: isReset });
    },
  };
}

const byName = new Intl.Collator(undefined, { numeric: true });
const sorted = (devices: readonly Device[]): Device[] =>
  devices.toSorted((a, b) => byName.compare(a.name, b.name) || byName.compare(a.id, b.id));

function withChanges(before: readonly Device[], changed: readonly Device[], removed: readonly string[]): Device[] {
  const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
  return sorted([...before.filter(({ id }) => !gone.has(id)), ...changed]);
}

const browserOf = (workspace: WorkspaceName): DevicesEnvironment => ({
  ...browserEnvironment(workspaceRoute(workspace, "/devices/ticket")),
  openSocket: (path, events) => openWorkerSocket(socketUrl(path), events),
  isHidden: () => document.visibilityState === "hidden",
  onHidden(listener) {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
  onLeave(listener) {
    window.addEventListener("pagehide", listener);
    return () => window.removeEventListener("pagehide", listener);
  },
  serialPorts: "serial" in navigator ? (navigator.serial as SerialPorts) : undefined,
});
