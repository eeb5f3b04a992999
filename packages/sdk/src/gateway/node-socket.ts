import { createHash, randomBytes } from "node:crypto";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { CLOSE, createMessageReader, encodeFrame, FrameFault, OPCODE } from "./frames.ts";

export type SocketHandlers = {
  onOpen(): void;
  onText(text: string): void;
  /** Called exactly once, even if it never opened. */
  onClose(): void;
};

/** What the flow needs of a WebSocket. The browser's and ours for Node both implement it. */
export type Socket = {
  /** Only after `onOpen`. */
  send(text: string): void;
  /** Closes it in any state. Messages sent before are still delivered. */
  close(): void;
};

/** The gateway's largest message is a callback of 8 KiB, as JSON. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** How long the gateway has to answer a close frame. */
const CLOSE_GRACE_MS = 2_000;
/** RFC 6455 section 1.3. */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A WebSocket client for Node: text messages, pings, and a close that does not wait for a silent peer. */
export function openNodeSocket(url: string, handlers: SocketHandlers): Socket {
  const key = randomBytes(16).toString("base64");
  const request = requestUpgrade(url, key);
  let connection: Connection | undefined;

  request.on("upgrade", (response, stream, head) => {
    if (!isAccepted(response, key)) {
      stream.destroy();
      return;
    }
    connection = openConnection(stream, handlers);
    handlers.onOpen();
    if (head.length > 0) connection.receive(head);
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
      else connection.sendClose(CLOSE.normal);
    },
  };
}

type Connection = {
  send(opcode: number, payload: Buffer): void;
  sendClose(code: number): void;
  receive(chunk: Buffer): void;
};

function openConnection(stream: Duplex, handlers: SocketHandlers): Connection {
  const readMessages = createMessageReader(MAX_MESSAGE_BYTES);
  let grace: ReturnType<typeof setTimeout> | undefined;

  function send(opcode: number, payload: Buffer): void {
    const canSend = grace === undefined && stream.writable;
    if (canSend) stream.write(encodeFrame(opcode, payload, randomBytes(4)));
  }

  function sendClose(code: number): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    send(OPCODE.close, payload);
    grace ??= setTimeout(() => stream.destroy(), CLOSE_GRACE_MS);
  }

  function end(code: number): void {
    sendClose(code);
    // Nothing that follows is read.
    stream.off("data", receive).resume();
    stream.end();
  }

  function receive(chunk: Buffer): void {
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

  stream.on("data", receive);
  stream.on("end", () => stream.end());
  stream.on("error", () => {});
  stream.on("close", () => {
    clearTimeout(grace);
    handlers.onClose();
  });
  return { send, sendClose, receive };
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

/** We offered no extension and no subprotocol, so the answer must not have one (RFC 6455 section 4.1). */
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
