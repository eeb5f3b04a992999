import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { PROBLEM_MEDIA_TYPE, type Problem, problemBody } from "../problems.ts";

/** Answers on the bare socket and closes it: for what never became a request, and for refused upgrades. */
export function endWithProblem(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify(problemBody(problem, randomUUID()));
  socket.on("error", () => {});
  // Ending closes one half; a peer that keeps the other open would keep the socket.
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
