import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { Fault } from "../faults.ts";
import { randomOf } from "../simulator.ts";
import type { Witness } from "../start.ts";
import type { SocketDevice, SocketKind } from "./socket-kind.ts";

const TICK_MS = 16;
const MAX_TICK_S = 1;
const MAX_WITNESSED = 10_000;
const MAX_CONNECTIONS = 16;

export type SocketSimulatorOptions = {
  kind: SocketKind;
  /** Where it listens; 0: any free port. */
  port?: number;
  host?: string;
  seed?: number;
  faults?: readonly Fault[];
  onNews?: (news: string) => void;
};

export type RunningSocketSimulator = AsyncDisposable & {
  readonly host: string;
  readonly port: number;
  /** What a node measures now. */
  read(node: string): JsonObject;
  witnessed(): readonly Witness[];
  connections(): number;
  /** How many connections there have been. */
  accepted(): number;
  setFault(fault: Fault, on: boolean): void;
  /** What happens to it, or around it. */
  tell(what: string, value: JsonData): void;
};

/** Listens as a device of its kind does, until it is disposed of. */
export async function startSocketSimulator(options: SocketSimulatorOptions): Promise<RunningSocketSimulator> {
  const { kind, port = kind.port, host = "127.0.0.1", seed = 1, onNews = () => {} } = options;
  const faults = new Set(options.faults);
  const witnessed: Witness[] = [];
  const sockets = new Set<Socket>();
  const physics = kind.simulates.create(randomOf(seed));
  const write = (socket: Socket, bytes: Uint8Array) => {
    if (!faults.has("silent")) socket.write(faults.has("bad-json") ? Buffer.from("\u0000?!\n") : bytes);
  };
  const device = kind.create({
    physics,
    say(bytes) {
      for (const socket of sockets) write(socket, bytes);
    },
    isLying: () => faults.has("lying"),
    note(witness) {
      witnessed.push({ ...witness, atMs: Date.now() });
      if (witnessed.length > MAX_WITNESSED) witnessed.shift();
    },
  });

  let accepted = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (faults.has("lost") || sockets.size >= MAX_CONNECTIONS) return void socket.destroy();
    accepted += 1;
    sockets.add(socket.setNoDelay(true));
    onNews("connected");
    socket.once("close", () => {
      sockets.delete(socket);
      onNews("disconnected");
    });
    socket.on(
      "data",
      device.connect((bytes) => write(socket, bytes)),
    );
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: listensAt } = server.address() as AddressInfo;
  const udp = kind.isUdp ? await listenByUdp({ port: listensAt, host, faults, device, onPeer }) : undefined;
  function onPeer(): void {
    accepted += 1;
    onNews("connected");
  }

  let lastMs = Date.now();
  const timer = setInterval(() => {
    const nowMs = Date.now();
    const seconds = Math.min(MAX_TICK_S, Math.max(0, nowMs - lastMs) / 1_000);
    lastMs = nowMs;
    physics.step(seconds);
    device.tick?.(seconds);
  }, TICK_MS);

  return {
    host,
    port: listensAt,
    read: (node) => physics.read(node),
    witnessed: () => witnessed,
    connections: () => sockets.size,
    accepted: () => accepted,
    setFault(fault, on) {
      if (on) faults.add(fault);
      else faults.delete(fault);
      // As if somebody had pulled the plug.
      if (fault === "lost" && on) for (const socket of sockets) socket.destroy();
    },
    tell(what, value) {
      device.tell?.(what, value);
      physics.tell?.(what, value);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      udp?.close();
      server.close();
      await once(server, "close");
    },
  };
}

type UdpOptions = {
  port: number;
  host: string;
  faults: ReadonlySet<Fault>;
  device: SocketDevice;
  onPeer(): void;
};

/** Whoever sends something new is the one it speaks with. */
async function listenByUdp({ port, host, faults, device, onPeer }: UdpOptions): Promise<UdpSocket> {
  const socket = createSocket("udp4");
  let peer = "";
  let take = (_bytes: Buffer): void => {};
  socket.on("error", () => {});
  socket.on("message", (bytes, from: RemoteInfo) => {
    if (faults.has("lost")) return;
    if (peer !== `${from.address}:${from.port}`) {
      peer = `${from.address}:${from.port}`;
      onPeer();
      take = device.connect((answer) => {
        if (!faults.has("silent") && !faults.has("lost")) socket.send(answer, from.port, from.address, () => {});
      });
    }
    take(bytes);
  });
  socket.bind(port, host);
  await once(socket, "listening");
  return socket;
}
