import { createHash, randomBytes } from "node:crypto";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import type { Socket, SocketHandlers } from "../gateway/socket.ts";
import { CLOSE, encodeFrame, FrameFault, OPCODE } from "./frames.ts";
import { createMessageReader } from "./message-reader.ts";

/** The gateway's largest message is a callback of 8 KiB, in JSON. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** How long the gateway has to answer a goodbye. */
const CLOSE_GRACE_MS = 2_000;
/** RFC 6455 section 1.3. */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A WebSocket client for Node: text messages, pings, goodbye, and an end that waits for nobody. */
export function openNodeSocket(url: string, handlers: SocketHandlers): Socket {
  const key = randomBytes(16).toString("base64");
  const request = requestUpgrade(url, key);
  let connection: Connection | undefined;

  request.on("upgrade", (response, stream, head) => {
    if (!isAccepted(response, key)) {
      stream.destroy();
      return;
    }
    connection = converse(stream, handlers);
    handlers.onOpen();
    if (head.length > 0) connection.take(head);
  });
  // Any other answer is a refusal.
  request.on("response", (response) => response.destroy());
  request.on("error", () => {});
  request.on("close", () => {
    if (connection === undefined) handlers.onClose();
  });
  request.end();

  return {
    send: (text) => connection?.send(OPCODE.text, Buffer.from(text)),
    close() {
      if (connection === undefined) request.destroy();
      else connection.sayGoodbye(CLOSE.normal);
    },
  };
}

type Connection = {
  send(opcode: number, payload: Buffer): void;
  sayGoodbye(code: number): void;
  take(chunk: Buffer): void;
};

function converse(stream: Duplex, handlers: SocketHandlers): Connection {
  const readMessages = createMessageReader(MAX_MESSAGE_BYTES);
  let grace: ReturnType<typeof setTimeout> | undefined;

  function send(opcode: number, payload: Buffer): void {
    const canSend = grace === undefined && stream.writable;
    if (canSend) stream.write(encodeFrame(opcode, payload, randomBytes(4)));
  }

  function sayGoodbye(code: number): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    send(OPCODE.close, payload);
    grace ??= setTimeout(() => stream.destroy(), CLOSE_GRACE_MS);
  }

  function end(code: number): void {
    sayGoodbye(code);
    // Nothing that follows is read, least of all after a fault.
    stream.off("data", take).resume();
    stream.end();
  }

  function take(chunk: Buffer): void {
    try {
      for (const message of readMessages(chunk)) {
        if (message.type === "text") handlers.onText(message.text);
        else if (message.type === "ping") send(OPCODE.pong, message.payload);
        else {
          end(CLOSE.normal);
          return;
        }
      }
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      end(error.closeCode);
    }
  }

  stream.on("data", take);
  stream.on("end", () => stream.end());
  stream.on("error", () => {});
  stream.on("close", () => {
    clearTimeout(grace);
    handlers.onClose();
  });
  return { send, sayGoodbye, take };
}

function requestUpgrade(url: string, key: string): ClientRequest {
  const address = new URL(url);
  const isSecure = address.protocol === "wss:";
  address.protocol = isSecure ? "https:" : "http:";
  return (isSecure ? httpsRequest : httpRequest)(address, {
    agent: false,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    },
  });
}

/** No extension and no subprotocol was offered, so none may be answered (RFC 6455 section 4.1). */
function isAccepted({ statusCode, headers }: IncomingMessage, key: string): boolean {
  const accept = createHash("sha1").update(`${key}${ACCEPT_GUID}`).digest("base64");
  return (
    statusCode === 101 &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-accept"] === accept &&
    headers["sec-websocket-extensions"] === undefined &&
    headers["sec-websocket-protocol"] === undefined
  );
}
