import type { FastifyRequest } from "fastify";
import { type DestinationStream, type LogFn, type Logger, pino } from "pino";
import type { Clock } from "./clock.ts";
import { scrub } from "./scrub.ts";
import type { LogLevel } from "./settings.ts";
import { isOutage } from "./system-problems.ts";

export type Log = Logger;

export type LogOptions = {
  process: string;
  level: LogLevel;
  /** Where lines go: standard output, or a test. */
  destination: DestinationStream;
  now?: Clock;
};

/** An outage fails every call in the same way: one line per minute says it, and how often. */
const SAME_OUTAGE_EVERY_MS = 60_000;
/** pino's number. */
const ERROR_LEVEL = 50;

/** JSON lines without codes, states, tokens, keys or cookies: serializers choose what is logged, and `scrub` removes what slipped through. */
export function createLog({ process, level, destination, now = Date.now }: LogOptions): Log {
  const options = {
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { req: describeRequest, err: describeError, error: describeError },
    hooks: { streamWrite: scrub, logMethod: outageHook(now) },
  };
  return pino(options, destination);
}

/** Whoever logs an outage, at whatever level: it is an error, and repeated at most once per minute. */
function outageHook(now: Clock) {
  const outages = new Map<string, { loggedAtMs: number; repeated: number }>();
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [first] = args as unknown[];
    const error = (first as { err?: unknown } | undefined)?.err;
    if (!isOutage(error)) method.apply(this, args);
    else if (level < ERROR_LEVEL) this.error(...args);
    else {
      const { loggedAtMs, repeated } = outages.get(error.code) ?? { loggedAtMs: Number.NEGATIVE_INFINITY, repeated: 0 };
      if (now() - loggedAtMs < SAME_OUTAGE_EVERY_MS) {
        outages.set(error.code, { loggedAtMs, repeated: repeated + 1 });
      } else {
        outages.set(error.code, { loggedAtMs: now(), repeated: 0 });
        method.apply(this, [
          { ...(first as object), ...(repeated > 0 ? { repeated } : {}) },
          ...args.slice(1),
        ] as Parameters<LogFn>);
      }
    }
  };
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
