import { type Ack, DEVICES_LIMITS, type SourceState } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { within } from "../authority/stopper.ts";
import { createIdentities, type Identity } from "../readers/identities.ts";
import { refused } from "../readers/waiting.ts";
import type { Ground, Reader } from "../services.ts";
import type { Adapter, Session, SourceGround, Wire } from "./adapter.ts";
import type { Connection, ConnectionEvents, Line } from "./line.ts";
import { type Network, openConnection, reasonOf } from "./link.ts";

const { sourceAnswerMs, sourceRetryMs, maxSourceRetryMs, sourceConfirmMs } = DEVICES_LIMITS;

export type SourceStatus = { state: SourceState; reason?: string };

/** A source that is connected, or is being connected again and again. */
export type RunningSource = Pick<Reader, "command" | "stop"> & {
  /** Of its devices in the model. */
  readonly source: string;
  status(): SourceStatus;
  devices(): readonly string[];
  /** Its devices leave the workspace; what moves is stopped before. */
  remove(): Promise<void>;
  close(): void;
};

type SourceOptions = {
  name: string;
  adapter: Adapter;
  settings: Record<string, unknown>;
  ground: Ground;
  network: Network;
  /** It is connected already, and its life ends with this connection. */
  line?: Line;
  now: Clock;
  onStatus(status: SourceStatus): void;
  onFault(error: unknown): void;
};

const sourceOf = (kind: string, name: string): string => `${kind}:${name}`;

const LOST = "The connection to the device is down.";
const SECOND = "Another device has the same id, and gets the commands. Give this source another name.";

/** Connects to the devices of a source, and again when the connection is lost: soon at first, then less often. */
export function startSource(options: SourceOptions): RunningSource {
  const { name, adapter, settings, ground, network, line, now, onStatus, onFault } = options;
  const source = sourceOf(adapter.kind, name);
  const identities = createIdentities(ground, source);
  const devices = new Map<string, Identity>();
  const place = line ? { protocol: "tcp" as const, host: "the serial port", port: 0 } : adapter.place(settings);
  const where = line ? place.host : `${place.host}:${place.port}`;
  let status: SourceStatus = { state: "connecting" };
  let session: Session | undefined;
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs: number = sourceRetryMs;
  let isClosed = false;

  const sourceGround: SourceGround = {
    ...ground,
    ...{ name, now },
    declare(declared) {
      const identity = identities.declare(declared);
      if (identity) devices.set(identity.id, identity);
      return identity?.id;
    },
    remove(device) {
      devices.delete(device);
      ground.remove(device);
    },
  };

  function setStatus(next: SourceStatus): void {
    if (next.state === status.state && next.reason === status.reason) return;
    status = next;
    onStatus(next);
  }

  /** A mistake in an adapter must never reach further than its connection. */
  function fail(error: unknown): void {
    onFault(error);
    end("What the device sent cannot be used.");
  }
  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  }

  async function connect(): Promise<void> {
    let isMine = true;
    let made: Connection | undefined;
    try {
      const events: ConnectionEvents = {
        bytes: (bytes) => isMine && guarded(() => session?.take(bytes)),
        ended(reason) {
          // It may end before it is known here.
          if (isMine && (made === undefined || connection === made)) end(reason);
          isMine = false;
        },
      };
      const opened = await (line ? line.connect(events) : openConnection(network, place, events));
      if (isClosed || !isMine) return opened.close();
      made = opened;
      connection = made;
      timer = setTimeout(() => end(`What is at ${where} does not speak ${adapter.name}.`), sourceConfirmMs);
      guarded(() => {
        session = adapter.open(settings, wireOf(opened), sourceGround);
      });
    } catch (error) {
      end(reasonOf(error, place));
    }
  }

  const wireOf = (made: Connection): Wire => ({
    send: (bytes) => connection === made && made.send(bytes),
    confirm() {
      if (connection !== made) return;
      clearTimeout(timer);
      retryMs = sourceRetryMs;
      setStatus({ state: "connected" });
    },
    fail: (why) => connection === made && end(why),
    fault: (error) => connection === made && fail(error),
  });

  function end(reason: string): void {
    clearTimeout(timer);
    const before = connection;
    connection = undefined;
    const wasConnected = status.state === "connected";
    session?.close();
    session = undefined;
    before?.close();
    for (const id of devices.keys()) ground.state(id, "lost");
    if (isClosed) return;
    if (line) {
      isClosed = true;
      for (const id of devices.keys()) ground.remove(id);
      line.onEnd(reason);
      return;
    }
    setStatus({ state: wasConnected ? "connecting" : "refused", reason });
    timer = setTimeout(() => void connect(), retryMs).unref();
    retryMs = Math.min(2 * retryMs, maxSourceRetryMs);
  }
  void connect();

  const tell = (device: string, send: (session: Session) => Promise<Ack>): Promise<Ack> => {
    if (devices.get(device)?.isSecond) return Promise.resolve(refused("denied", SECOND));
    return session && !isClosed ? send(session) : Promise.resolve(refused("device-lost", LOST));
  };

  return {
    source,
    status: () => status,
    devices: () => [...devices.keys()],
    command: (device, capability, command, onAccepted) =>
      tell(device, (now) => now.command(device, capability, command, onAccepted)),
    stop: (device) => tell(device, (now) => now.stop(device)),
    async remove() {
      isClosed = true;
      const stopping = Array.from(devices.keys(), (id) => session?.stop(id));
      await within<unknown>(Promise.all(stopping), sourceAnswerMs, () => undefined);
      end("");
      for (const id of devices.keys()) ground.remove(id);
    },
    close() {
      isClosed = true;
      end("");
    },
  };
}
