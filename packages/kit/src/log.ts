import type { FastifyRequest } from "fastify";
import { type DestinationStream, type Logger, pino } from "pino";
import { scrub } from "./scrub.ts";
import type { LogLevel } from "./settings.ts";

export type Log = Logger;

export type LogOptions = {
  process: string;
  level: LogLevel;
  /** Where lines go: standard output, or a test. */
  destination: DestinationStream;
};

/** JSON lines without codes, states, tokens, keys or cookies: serializers choose what is logged, and `scrub` removes what slipped through. */
export function createLog({ process, level, destination }: LogOptions): Log {
  const options = {
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { req: describeRequest, err: describeError, error: describeError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination);
}

const LOGGED_HEADERS = ["accept", "content-type", "content-length", "user-agent"] as const;
const MAX_LOGGED_HEADER_CHARACTERS = 200;

/** The route's pattern instead of the address: queries, path parameters and unknown paths may all hold secrets. */
function describeRequest(request: FastifyRequest) {
  const headers: Record<string, string> = {};
  for (const name of LOGGED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value.slice(0, MAX_LOGGED_HEADER_CHARACTERS);
  }
  return {
    id: request.id,
    method: request.method,
    route: request.routeOptions?.url ?? "(no such route)",
    remoteAddress: request.ip,
    headers,
  };
}

type Described = { type: string; message: string; problem?: string; stack?: string; cause?: Described };

const MAX_CAUSES = 5;

/** Type, message and stack, and no other property: libraries attach requests, headers and bodies to their errors. */
function describeError(error: unknown, depth = 0): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" ? { problem: code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}
