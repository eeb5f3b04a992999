import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { createAllowance } from "@backplane/kit/allowance";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { answerPings, GUARDED } from "../socket-guard.ts";

export const MQTT_PATH = "/mqtt";

/** The name of the protocol (MQTT 3.1.1, section 6), and the one of MQTT 3.1. */
const PROTOCOLS = ["mqtt", "mqttv3.1"];

/** A message is kept in memory until it is whole, also of a connection that has not said who it is. */
const MAX_FRAME_BYTES = DEVICES_LIMITS.maxUnreadBytes;
/** Packets are counted later; frames may be empty. */
const MAX_FRAMES_PER_SECOND = 2 * DEVICES_LIMITS.maxGatewayMessagesPerSecond;

export type MqttSockets = {
  /** False: the request is for another path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  close(): void;
};

/**
 * MQTT over WebSocket, for tools and for devices behind a proxy. A page of another origin cannot use a key that it has
 * learnt: its connection is refused before CONNECT.
 */
export function createMqttSockets({
  origins,
  onStream,
}: {
  /** Pages that may connect. A client without an Origin is not a page. */
  origins: readonly string[];
  onStream: (stream: Duplex, address: string) => void;
}): MqttSockets {
  const server = new WebSocketServer({
    ...GUARDED,
    clientTracking: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });
  const refuse = (socket: Duplex, status: string): void => {
    socket.on("error", () => {});
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  };
  return {
    upgrade(request, socket, head) {
      const [path] = (request.url ?? "/").split("?", 1);
      if (path !== MQTT_PATH) return false;
      const { origin } = request.headers;
      const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
      if (origin !== undefined && !origins.includes(origin.toLowerCase())) refuse(socket, "403 Forbidden");
      else if (!PROTOCOLS.some((protocol) => offered.includes(protocol))) refuse(socket, "400 Bad Request");
      else if (server.clients.size >= DEVICES_LIMITS.maxConnections) refuse(socket, "503 Service Unavailable");
      else {
        server.handleUpgrade(request, socket, head, (connection) => {
          answerPings(connection);
          limitFrames(connection);
          onStream(openStream(connection), request.socket.remoteAddress ?? "");
        });
      }
      return true;
    },
    close() {
      for (const connection of server.clients) connection.terminate();
      server.close();
    },
  };
}

function limitFrames(connection: WebSocket): void {
  const allowance = createAllowance({ burst: MAX_FRAMES_PER_SECOND, perSecond: MAX_FRAMES_PER_SECOND });
  connection.on("message", () => {
    if (!allowance.take()) connection.terminate();
  });
}

/** The broker writes a packet in pieces: what it writes in one turn is one frame. */
function openStream(connection: WebSocket): Duplex {
  const stream = createWebSocketStream(connection, {
    readableHighWaterMark: DEVICES_LIMITS.maxUnreadBytes,
    writableHighWaterMark: 4 * DEVICES_LIMITS.maxUnreadBytes,
  });
  stream._writev = (pieces, done) => connection.send(Buffer.concat(pieces.map(({ chunk }) => chunk)), done);
  return stream;
}
