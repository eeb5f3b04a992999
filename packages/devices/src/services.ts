import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type {
  Ack,
  Batch,
  Capability,
  Device,
  DeviceLine,
  DeviceState,
  Devices,
  Holder,
  LastValue,
  Lease,
  NewRecording,
  Recording,
  Sample,
  SimulatorKind,
  Source,
  StopAnswer,
  Stopped,
  Want,
} from "@backplane/contract/devices";
import type { JsonObject, LogLevel } from "@backplane/contract/panels";
import type { OpenBus } from "@backplane/kit/bus";
import type { Access, Caller, FollowAccess } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import type { FastifyRequest } from "fastify";
import type { Line } from "./sources/line.ts";
import type { DevicesTables } from "./tables.ts";

/** The workspace of a request. Workspaces belong to another area: the platform wires them. */
export type WorkspaceOf = {
  id: string;
  owner: string;
  repo: string;
};

/** What the platform passes to the area. */
export type Dependencies = {
  database: Database<DevicesTables>;
  bus: OpenBus;
  settings: Pick<
    Settings,
    | "home"
    | "host"
    | "mqttPort"
    | "mqttUrl"
    | "historyKeepDays"
    | "redisUrl"
    | "baseUrl"
    | "trustProxy"
    | "projectsFolder"
    | "recordingsMaxBytes"
  >;
  now: Clock;
  metrics: Metrics;
  /** 401, 403: before the body is read, so that callers without access need not send it and learn nothing of it. */
  authenticate(request: FastifyRequest, may: "read" | "control" | "stop"): Promise<void>;
  /** 401, 403, 404. `read`: scopes devices:read or panels; `control`: devices:control; `stop`: whoever may see it. */
  openWorkspace(
    request: FastifyRequest,
    may: "read" | "control" | "stop",
  ): Promise<{ workspace: WorkspaceOf; caller: Caller; access: Access; mayControl: boolean }>;
  /** Undefined: it was removed. */
  workspaceNamed(workspaceId: string): Promise<WorkspaceOf | undefined>;
  onWorkspaceRemoved(listener: (workspaceId: string) => Promise<void>): void;
  followAccess: FollowAccess;
  /** Undefined: simulators are switched off. */
  simulators: Simulators | undefined;
  /** A line in the workspace's log. */
  note(workspaceId: string, level: LogLevel, source: string, message: string): void;
  onFault: (error: unknown) => void;
};

/** Devices for people without hardware. They are another package: the platform passes them. */
export type Simulators = {
  kinds: readonly SimulatorKind[];
  /** Never throws for a kind that is listed. */
  start(options: { kind: string; id: string } & Pick<SimulatorAccess, "url" | "key" | "prefix">): StartedSimulator;
};

export type StartedSimulator = {
  /** Resolves when the broker has taken its description. */
  ready: Promise<void>;
  /** Also takes the device away from the broker. */
  close(): Promise<void>;
};

/** How a simulator in this process connects: to the address, or by a stream of its own. */
export type SimulatorAccess = { url: string | (() => Duplex); key?: string; prefix?: string; end(): void };

// --- From a convention to the model -------------------------------------------------------------------------------

/** What a convention (`readers/`) knows of a device. All of it is hostile until `model/` has checked it. */
export type Declared = {
  id: string;
  name?: unknown;
  maker?: unknown;
  model?: unknown;
  firmware?: unknown;
  capabilities: readonly Capability[];
};

/** Where a reader puts what it has read: the devices of one workspace. Nothing here throws for what a device sent. */
export type Ground = {
  /** A device is there, or describes itself anew. False: it is refused, such as a second one with the same id. */
  declare(source: string, declared: Declared): boolean;
  state(device: string, state: DeviceState): void;
  /** `deviceTMs`: the device's own time, if it sends one. */
  sample(device: string, capability: string, values: JsonObject, deviceTMs?: number): void;
  /**
   * What a broker outside has retained: it is from before the link was there, and nobody knows when. It is shown if it is
   * news, and is neither a sign of life nor kept in the history.
   */
  recall(device: string, capability: string, values: JsonObject): void;
  /** Something that cannot be read: counted, and at ten per minute an alert. */
  refuse(device: string, why: string): void;
  alert(device: string, id: string, text: string | null): void;
  line(device: string, level: string, source: string, text: string, fields?: JsonObject): void;
  /** The device was taken away on purpose. */
  remove(device: string): void;
};

/** `isRetained`: it was sent before the link was there, and may be old. */
export type MqttMessage = { topic: string; payload: Buffer; isRetained: boolean };
export type MqttSend = (topic: string, payload: string, options?: { qos?: 0 | 1; retain?: boolean }) => Promise<void>;

export type DeviceCommand = { id: string; name: string; params: JsonObject };

/** One convention over the messages of one workspace. */
export type Reader = {
  readonly source: string;
  /** Topics that it wants, as MQTT filters. */
  readonly filters: readonly string[];
  /** Never throws. False: it is not of this convention. */
  take(message: MqttMessage): boolean;
  /**
   * Resolves when the device has answered or did not in time; `onAccepted` when it has the command but is not there yet.
   * What moves is told again with the same id, so that a device can tell it from a new command: while the first one
   * waits for its answer, it is sent again and has the same answer.
   */
  command(device: string, capability: string, command: DeviceCommand, onAccepted?: () => void): Promise<Ack>;
  /**
   * Sends a device what makes everything of it stop that moves, ahead of everything else. Resolves as `command` does; the
   * control sends it again until the device has answered. Rails and heaters are not its work: they have an order, and
   * some are kept, so the control switches them off by their own commands.
   */
  stop(device: string): Promise<Ack>;
  close(): void;
};

export type CreateReader = (context: { ground: Ground; send: MqttSend; now: Clock }) => Reader;

/** The connection to a broker for one workspace: the embedded one, or one outside. `mqtt/` */
export type MqttLink = {
  /** Rejects at once while the broker is away: a command must not arrive later. */
  send: MqttSend;
  /** Messages of devices, in the order of each connection; never what `send` sent. What was retained comes first. */
  onMessage(listener: (message: MqttMessage) => void): void;
  /** The connection of a device broke, or came, by its key. A broker outside does not tell. */
  onConnection(listener: (device: string, isConnected: boolean) => void): void;
  /** Always true for the embedded broker. */
  isUp(): boolean;
  /** The broker outside went away, or came back: then everything that it retains comes again. */
  onUp(listener: (isUp: boolean) => void): void;
  /** How many connections devices have to the embedded broker. */
  connections(): number;
  /** Of the embedded broker: also closes the connections of its devices. */
  close(): Promise<void>;
};

/** What the holder of the workspaces does when devices come and go. */
export type MqttHolder = {
  /** A device wants to connect: `open` its workspace, so that nothing of what it says is missed. False: it is held elsewhere, or was removed. */
  wake(workspaceId: string): Promise<boolean>;
  /** The workspace had no connection of a device for a while: the link may be closed. */
  idle(workspaceId: string): void;
};

/** Where devices connect. `openMqtt(dependencies, holder)` in `mqtt/` */
export type Mqtt = {
  /** One link per workspace at a time. */
  open(workspace: WorkspaceOf): Promise<MqttLink>;
  /** Where devices connect; null: nowhere. */
  address(): string | null;
  /** Why devices cannot connect, and the next step: for doctor, /ready and the page of keys. */
  fault(): string | undefined;
  /** MQTT over WebSocket, at `/mqtt`. False: the request is for another path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** A simulator of this process may connect as this device, until `end`. Undefined: the device has a key. */
  openForSimulator(workspace: WorkspaceOf, device: string): Promise<SimulatorAccess | undefined>;
  /** Routes of device keys. */
  addRoutes(app: App): void;
  close(): Promise<void>;
};

// --- The devices of one workspace --------------------------------------------------------------------------------

export type ModelEvents = {
  device(device: Device): void;
  removed(device: string): void;
  sample(sample: Sample): void;
  line(line: DeviceLine): void;
};

/** Checked devices, samples and lines of one workspace, on the instance that holds its connections. `model/` */
export type Model = Ground & {
  devices(): readonly Device[];
  device(id: string): Device | undefined;
  last(device: string, capability: string): Sample | undefined;
  /** The samples that are still in memory, at or after this time, oldest first. */
  kept(device: string, capability: string, sinceMs: number): readonly Sample[];
  on<Name extends keyof ModelEvents>(event: Name, listener: ModelEvents[Name]): () => void;
  /** What is shown with a device besides what it says itself. */
  setControl(device: string, control: Pick<Device, "lease" | "isArmed" | "isMoving">): void;
  close(): void;
};

/**
 * Who asks: `key` tells two pages of one person apart. Programs never take over from people. `mayOnlyStop`: somebody who
 * may look at the workspace; of commands, only those are sent for them that stop, abort or switch off.
 */
export type Actor = Holder & { key: string; isProgram: boolean; mayOnlyStop?: boolean };

/** Who may move what, and what stops it. `authority/` */
export type Control = {
  take(device: string, actor: Actor, options: { takeOver: boolean }): Promise<Ack & { holder?: Holder; lease?: Lease }>;
  renew(device: string, actor: Actor): Ack;
  /** One device, or all that the actor holds: what moves stops at once. */
  leave(actor: Actor, device?: string): Promise<void>;
  arm(device: string, actor: Actor): Ack;
  disarm(device: string, actor: Actor): Promise<Ack>;
  press(device: string, actor: Actor): void;
  release(device: string, actor: Actor): Promise<void>;
  command(
    target: { device: string; capability: string },
    command: { name: string; params: JsonObject },
    actor: Actor,
    onAccepted?: () => void,
  ): Promise<Ack>;
  stop(by: Actor): Promise<StopAnswer>;
  clear(actor: Actor): Promise<Ack>;
  stopped(): Stopped | null;
  onStopped(listener: (stopped: Stopped | null) => void): () => void;
  close(): Promise<void>;
};

/** The control of a workspace's devices, on whichever instance they are. */
export type SharedControl = Omit<Control, "renew" | "arm" | "close"> & {
  renew(device: string, actor: Actor): Ack | Promise<Ack>;
  arm(device: string, actor: Actor): Ack | Promise<Ack>;
};

/** A recording began, grew, ended or was renamed; or was removed. */
export type RecordingNews = { recording: Recording } | { removed: string };

/** `by`: the name of who records. `payer`: their id, for what one person may have; an older instance does not say it. */
export type WantedRecording = NewRecording & { by: string; payer?: string };

/** What makes the recordings of a workspace, on whichever instance its devices are. `recordings/` */
export type Recorder = {
  /** What a process left that was killed is completed. */
  settled(): Promise<void>;
  /** The one that is being made now. */
  current(): Recording | null;
  /** Throws what is in the way as a Problem. */
  start(wanted: WantedRecording): Promise<Recording>;
  /** One that has ended already is answered as it is. */
  stop(id: string): Promise<Recording>;
  rename(id: string, name: string): Promise<Recording>;
  /** With its file. One that is being made is stopped first. */
  remove(id: string): Promise<void>;
  onChange(listener: (news: RecordingNews) => void): () => void;
};

/** A source as it is now. */
export type SourceNow = Pick<Source, "name" | "state" | "reason" | "devices">;

/** The sources of a workspace, on whichever instance they are. */
export type SourceStatuses = {
  all(): readonly SourceNow[];
  onChange(listener: (all: readonly SourceNow[]) => void): () => void;
  /**
   * A device at a serial port that a page holds, as long as the page does. Only on the instance that holds the devices.
   * Undefined: the protocol is not for serial ports of pages.
   */
  attach?(kind: string, line: Line): AttachedLine | undefined;
};

export type AttachedLine = {
  name: string;
  /** What the page writes by itself when nobody may be left to stop the device. */
  stopBytes: Uint8Array;
};

/** Everything that pages and programs can ask of a workspace's devices, on whichever instance they are. */
export type Hub = {
  list(): Promise<Omit<Devices, "history">>;
  read(device: string, capability: string): Promise<LastValue | undefined>;
  /** History first, then live, with no gap and no double. One call per frame at most. */
  subscribe(want: Want, onBatch: (batch: Batch, isHistory: boolean) => void): Promise<() => void>;
  onDevices(listener: (changed: Device[], removed: string[]) => void): Promise<() => void>;
  onLines(listener: (lines: DeviceLine[]) => void): Promise<() => void>;
  readonly control: SharedControl;
  readonly recorder: Recorder;
  readonly sources: SourceStatuses;
};
