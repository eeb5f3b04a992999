import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BusFault } from "../bus/fault.ts";
import { PROBLEM_MEDIA_TYPE, Problem, type ProblemCode, problemBody } from "../problems.ts";
import { fieldFaults } from "../schemas.ts";
import { systemProblem } from "../system-problems.ts";
import { isDeclared } from "./api-docs/route-schema.ts";

const CODES_OF_FASTIFY: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload-too-large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported-media-type",
  FST_ERR_MAX_PARAM_LENGTH: "address-too-long",
};

const CODES_OF_STATUS: Record<number, ProblemCode> = {
  404: "not-found",
  408: "request-timeout",
  413: "payload-too-large",
  414: "address-too-long",
  415: "unsupported-media-type",
  429: "too-many-requests",
  503: "not-ready",
};

/** The bus is down or full: either way it cannot be used now. */
const BUS_AWAY: ReadonlySet<string> = new Set(["unavailable", "closed", "too-many"]);

const UNKNOWN = "It is not known whether this was done, so look first.";
/** What a change came to when a service went away. */
const OUTCOMES: Partial<Record<ProblemCode, string>> = {
  "database-unavailable": UNKNOWN,
  "bus-unavailable": UNKNOWN,
  // An archive is stored before anything else is.
  "archives-unavailable": "Nothing was done.",
};
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whoever asked for a change and gets an error must know whether it was made. */
function withOutcome(problem: Problem, method: string): Problem {
  const { code, title, detail, headers, cause } = problem;
  const outcome = OUTCOMES[code];
  if (detail !== undefined || outcome === undefined || READING.has(method)) return problem;
  return new Problem(code, { detail: `${title}. ${outcome}`, headers, cause });
}

/** PostgreSQL stores no NUL; SQLite finds nothing by it. */
const NO_SUCH_CHARACTER = "22021";

const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

/** Turns anything that was thrown into a problem for the caller. An unexpected error becomes a bare internal-error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BusFault && BUS_AWAY.has(error.code)) {
    return new Problem("bus-unavailable", { cause: error });
  }
  const outage = systemProblem(error);
  if (outage) return outage;
  const { validation, validationContext, code = "", statusCode = 500 } = error as Partial<FastifyError>;
  if (validation) {
    const errors = fieldFaults(validation);
    const [first] = errors;
    const where = validationContext === "body" ? "body" : (validationContext ?? "request");
    return new Problem(where === "body" ? "invalid-input" : "invalid-parameter", {
      detail: first ? `${first.pointer || `The ${where}`} ${first.message}.` : `The ${where} is invalid.`,
      errors,
    });
  }
  if (code === NO_SUCH_CHARACTER) {
    return new Problem("malformed-request", { detail: "A text has the character NUL in it.", cause: error });
  }
  const known = CODES_OF_FASTIFY[code] ?? CODES_OF_STATUS[statusCode];
  if (known) return new Problem(known, { cause: error });
  if (statusCode >= 400 && statusCode < 500) {
    const detail = code.includes("JSON") ? "The body is not valid JSON." : undefined;
    return new Problem("malformed-request", detail === undefined ? { cause: error } : { detail, cause: error });
  }
  return new Problem("internal-error", { cause: error });
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.headers, "cache-control": "no-store", "x-request-id": request.id })
    .type(PROBLEM_MEDIA_TYPE)
    .send(problemBody(problem, request.id));
}

/**
 * Every error is answered as RFC 9457; our own faults are logged with their cause. For tests: with `onlyDeclared`, a problem
 * that is missing from its route's part of the API reference is an error.
 */
export function useProblems(app: FastifyInstance, { onlyDeclared = false } = {}): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = withOutcome(problemOf(error), request.method);
    const { url, schema } = request.routeOptions;
    if (onlyDeclared && url !== undefined && !schema?.hide && !isDeclared(schema, problem.code)) {
      throw new Error(`${request.method} ${url} does not declare the problem "${problem.code}".`);
    }
    // Somebody else did not answer (a browser, a site, a provider): the caller learns that, and the log says why, if known.
    const isElsewhere = problem.status === BAD_GATEWAY || problem.status === GATEWAY_TIMEOUT;
    if (isElsewhere && problem.cause !== undefined) request.log.warn({ req: request, err: problem }, "no answer");
    if (problem.status >= 500 && !isElsewhere) request.log.error({ req: request, err: problem }, "request failed");
    return sendProblem(reply, request, problem);
  });
}

/** Answers on the bare socket and closes it: for input that never became a request, and for refused upgrades. */
export function endWithProblem(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify(problemBody(problem, randomUUID()));
  closeGently(socket);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A peer that is still sending gets this long to read the answer: a socket destroyed at once resets the connection. */
const LINGER_MS = 1_000;

/** Destroys a socket once its last bytes are sent and the peer has closed its half, or after a second. Call it before `end`. */
export function closeGently(socket: Duplex): void {
  socket.on("error", () => {});
  socket.once("finish", () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
    socket.once("end", () => socket.destroy());
    socket.resume();
  });
}
