import { createSocket, type Socket as UdpSocket } from "node:dgram";
import type { Socket } from "node:net";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { type Connect, type Guard, PortRefused } from "@backplane/kit/guard";
import type { Place } from "./adapter.ts";
import type { Connection, ConnectionEvents } from "./line.ts";

const { sourceConnectMs, maxSourceUnsentBytes } = DEVICES_LIMITS;

export type Network = { guard: Guard; connect: Connect };

/** Opens a connection to a checked address, or rejects with why it cannot be reached. */
export function openConnection(network: Network, place: Place, events: ConnectionEvents): Promise<Connection> {
  return place.protocol === "tcp" ? openTcp(network, place, events) : openUdp(network, place, events);
}

async function openTcp({ connect }: Network, { host, port }: Place, events: ConnectionEvents): Promise<Connection> {
  const socket: Socket = await connect({ isSecure: false, hostname: host, port, timeoutMs: sourceConnectMs });
  const end = once(events.ended);
  socket.setKeepAlive(true, 1_000);
  socket.on("data", events.bytes);
  socket.on("error", (error) => end(reasonOf(error, { host, port })));
  socket.on("close", () => end("The device closed the connection."));
  return {
    send(bytes) {
      if (socket.writableLength + bytes.length > maxSourceUnsentBytes)
        socket.destroy(new Error("The device does not read what it is sent."));
      else socket.write(bytes);
    },
    close() {
      end("");
      socket.destroy();
    },
  };
}

async function openUdp(
  { guard }: Network,
  { host, port, localPort }: Place,
  events: ConnectionEvents,
): Promise<Connection> {
  const [found] = await guard.resolve(host, port);
  if (!found) throw new Error("no address");
  const socket = createSocket(found.family === 6 ? "udp6" : "udp4");
  const end = once(events.ended);
  socket.on("message", (bytes) => events.bytes(bytes));
  await connected(socket, { address: found.address, port, localPort });
  socket.on("error", (error) => end(reasonOf(error, { host, port })));
  socket.on("close", () => end("The device closed the connection."));
  return {
    send: (bytes) => socket.send(bytes, (error) => error && end(reasonOf(error, { host, port }))),
    close() {
      end("");
      socket.close();
    },
  };
}

/** A connected socket hears this device only. */
function connected(
  socket: UdpSocket,
  { address, port, localPort }: { address: string; port: number; localPort: number | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      socket.close();
      reject(error);
    };
    socket.once("error", onError);
    socket.once("connect", () => {
      socket.off("error", onError);
      resolve();
    });
    socket.bind(localPort ?? 0, () => socket.connect(port, address));
  });
}

function once(work: (reason: string) => void): (reason: string) => void {
  let isDone = false;
  return (reason) => {
    if (isDone) return;
    isDone = true;
    work(reason);
  };
}

/** What is in the way, and the next step. */
export function reasonOf(
  error: unknown,
  { host, port }: Pick<Place, "host" | "port">,
  setting = "DEVICES_ALLOW",
): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const place = `${host}:${port}`;
  if (error instanceof PortRefused) return `Port ${port} is for other services. Choose the port of the device.`;
  switch (code) {
    case "ADDRESS_REFUSED":
      return `Backplane does not connect to ${place} (${message}). For an address in your own network, whoever runs Backplane adds it to ${setting}.`;
    case "ECONNREFUSED":
      return `Nothing listens at ${place}. Start the device, or correct host and port.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The name ${host} is not known. Correct the host.`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${place} cannot be reached. Check the device and the network.`;
    case "EADDRINUSE":
      return "Another program uses the local port. Choose another one.";
    case "ECONNRESET":
    case "EPIPE":
      return "The device broke the connection.";
    default:
      return code === undefined ? message : `${place} cannot be used (${code}).`;
  }
}
