import type {
  Ack,
  Batch,
  Device,
  DeviceLine,
  History,
  Holder,
  Recording,
  Replay,
  Stopped,
  Want,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";

/**
 * Values of one channel. `isHistory`: they replace what the panel has at their first time and later. History comes first,
 * and again after the connection broke or the page was hidden; so nothing is missing and nothing is doubled. `isReset`: the
 * panel drops all that it has first, because a replay began, jumped or ended.
 */
export type PanelBatch = Batch & { isHistory: boolean; isReset: boolean };

/** What is not given stays. `recording` null: the last 10 minutes, from memory. Speed 0: paused. */
export type ChangeReplay = { recording?: string | null; atMs?: number; speed?: number; loop?: boolean };

/** What happened to a command. `onAccepted`: the device has it, and is not there yet. */
export type CommandOptions = { onAccepted?: () => void };

export type Target = { device: string; capability: string };

/** The devices of the workspace, as panels see them. */
export type Devices = {
  /** The same array until something changes. */
  list(): readonly Device[];
  onList(listener: () => void): () => void;
  /** At most one batch per frame. */
  subscribe(want: Omit<Want, "sinceMs">, onBatch: (batch: PanelBatch) => void): () => void;
  /** What was measured, in buckets. Undefined: it could not be had. */
  history(target: Target, query: { fromMs: number; toMs?: number; points?: number }): Promise<History | undefined>;
  /** Lines that devices say. The first call, and one after the connection broke, has those that are kept: `isHistory`. */
  onLines(listener: (lines: PanelLines) => void): () => void;
  /** Never throws: what cannot be sent is answered with a code, too. */
  command(target: Target, name: string, params: JsonObject, options?: CommandOptions): Promise<Ack>;
  /** Control of one device. */
  control(device: string): Control;
  /** Stops everything in the workspace, and lets it be controlled again. */
  stop(): Promise<Ack>;
  clear(): Promise<Ack>;
  /** Replays a recording in this page, or changes how. */
  replay(change: ChangeReplay): Promise<Ack>;
  /** Ends the replay. */
  goLive(): Promise<Ack>;
  status(): DevicesStatus;
  onStatus(listener: () => void): () => void;
  /** Devices at serial ports that this page holds. */
  readonly serial: Serial;
};

/** The same object until something changes. */
export type SerialState = {
  /** What is connected: the id of the device. */
  device: string | undefined;
  /** Why the last one ended. */
  ended: string | undefined;
};

export type Serial = {
  /** Whether this browser has serial ports for pages. */
  readonly isOffered: boolean;
  /** Asks the person for a port; only after a press or a key. Returns what went wrong, if anything. */
  connect(kind: string): Promise<string | undefined>;
  disconnect(): void;
  state(): SerialState;
  onState(listener: () => void): () => void;
};

/** `dropped`: lines that were left out before these, because the connection was slow. */
export type PanelLines = { lines: DeviceLine[]; dropped: number; isHistory: boolean };

/** The same object until something changes. */
export type DevicesStatus = {
  /** Refused: it is not tried again. */
  connection: "connecting" | "open" | "lost" | "refused";
  /** Why the connection was lost or refused, if the server said so. */
  detail: string | undefined;
  /** Whether this person may control, or only look and stop. */
  mayControl: boolean;
  stopped: Stopped | null;
  /** The recording that is being made now. */
  recording: Recording | null;
  /** What this page replays; null: it is live. */
  replay: Replay | null;
  /** What devices answered to a stop from this page; asked: they have not yet. */
  stopAnswer: Readonly<Record<string, Ack>> | "asked" | null;
};

export type Control = {
  take(options?: { takeOver?: boolean }): Promise<Ack>;
  renew(): void;
  leave(): void;
  arm(): Promise<Ack>;
  disarm(): Promise<Ack>;
  /** While a control is held, every DEVICES_LIMITS.pressMs. */
  press(): void;
  /** The control was released: what moves stops at once. */
  release(): void;
  stop(): Promise<Ack>;
  clear(): Promise<Ack>;
  state(): ControlState;
  /** Called when the device or the status may have changed. */
  onState(listener: () => void): () => void;
};

export type ControlState = DevicesStatus & {
  /** Undefined: there is no such device. */
  device: Device | undefined;
  holder: Holder | undefined;
  /** Whether this page is in control. */
  isMine: boolean;
};

/** The time that panels show: the hub's, or that of a recording. */
export type PanelClock = {
  mode(): "live" | "replay";
  nowMs(): number;
  onChange(listener: () => void): () => void;
};

export type OpenDevices = { devices: Devices; clock: PanelClock; close(): void };
