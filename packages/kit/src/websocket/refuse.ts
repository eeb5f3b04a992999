import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { endWithProblem } from "../http/socket-problem.ts";
import { PROBLEM_MEDIA_TYPE, type Problem, problemBody } from "../problems.ts";
import { UnknownVersion, VERSION } from "./handshake.ts";

const UPGRADE_REQUIRED = 426;

/** Answers a request for an upgrade with the Problem it is refused with. */
export function refuse(socket: Duplex, problem: Problem): void {
  if (problem instanceof UnknownVersion) endWithVersion(socket, problem);
  else endWithProblem(socket, problem);
}

/** RFC 6455, section 4.4: a client that speaks another version is told ours. */
function endWithVersion(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify({ ...problemBody(problem, randomUUID()), status: UPGRADE_REQUIRED });
  socket.on("error", () => {});
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${UPGRADE_REQUIRED} Upgrade Required\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ${VERSION}\r\n` +
      `Content-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: Upgrade, close\r\n\r\n${body}`,
  );
}
