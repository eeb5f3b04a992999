import { hash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { closeGently, endWithProblem } from "../http/errors.ts";
import { PROBLEM_MEDIA_TYPE, Problem, problemBody } from "../problems.ts";

/** RFC 6455, section 1.3: proves that the server knows the protocol. */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const VERSION = "13";

/** 16 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const TOKENS = /^[\w!#$%&'*+.^`|~-]+(?:[\t ]*,[\t ]*[\w!#$%&'*+.^`|~-]+)*$/;

/** A handshake that may be accepted. */
export type Handshake = { key: string; protocol: string | undefined };

/** Reads a client's handshake (section 4.2.1), or throws the Problem it is refused with. */
export function readHandshake({ method, httpVersion, headers }: IncomingMessage): Handshake {
  if (method !== "GET") throw new Problem("method-not-allowed", { headers: { allow: "GET" } });
  if (httpVersion !== "1.1") throw malformed("A WebSocket begins with an HTTP/1.1 request.");
  if (!names(headers.upgrade, "websocket") || !names(headers.connection, "upgrade")) {
    throw malformed("A WebSocket begins with the headers Upgrade: websocket and Connection: Upgrade.");
  }
  if (headers["sec-websocket-version"] !== VERSION) throw new UnknownVersion();
  const key = headers["sec-websocket-key"];
  if (key === undefined || !KEY.test(key)) throw malformed("Sec-WebSocket-Key is 16 bytes in base64.");
  const protocols = headers["sec-websocket-protocol"];
  if (protocols !== undefined && !TOKENS.test(protocols)) throw malformed("Sec-WebSocket-Protocol is a list of names.");
  // The first offer is accepted: browsers close a connection when the server accepts none.
  return { key, protocol: protocols?.split(",", 1)[0]?.trim() };
}

/** The answer that turns the connection into a WebSocket. Extensions are never accepted. */
export function acceptance({ key, protocol }: Handshake): string {
  const proof = hash("sha1", key + ACCEPT_GUID, "base64");
  const agreed = protocol === undefined ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  return (
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    `Sec-WebSocket-Accept: ${proof}\r\n${agreed}\r\n`
  );
}

/** The client speaks another version of the protocol. */
class UnknownVersion extends Problem {
  constructor() {
    super("malformed-request", { detail: `This server speaks version ${VERSION} of the WebSocket protocol.` });
  }
}

function malformed(detail: string): Problem {
  return new Problem("malformed-request", { detail });
}

/** Whether a header's list of names holds this one, which is in lower case. */
function names(list: string | undefined, name: string): boolean {
  const lowered = list?.toLowerCase();
  return lowered === name || (lowered?.split(",").some((item) => item.trim() === name) ?? false);
}

const UPGRADE_REQUIRED = 426;

/** Answers a request for an upgrade with the Problem it is refused with. */
export function refuse(socket: Duplex, problem: Problem): void {
  if (problem instanceof UnknownVersion) endWithVersion(socket, problem);
  else endWithProblem(socket, problem);
}

/** RFC 6455, section 4.4: the answer to a client of another version names ours. */
function endWithVersion(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify({ ...problemBody(problem, randomUUID()), status: UPGRADE_REQUIRED });
  closeGently(socket);
  socket.end(
    `HTTP/1.1 ${UPGRADE_REQUIRED} Upgrade Required\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ${VERSION}\r\n` +
      `Content-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: Upgrade, close\r\n\r\n${body}`,
  );
}
