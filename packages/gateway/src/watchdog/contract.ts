import { type Static, Type } from "typebox";

export const POLL_INTERVAL_MS = 10_000;
/** A gateway that has come up is asked this soon, and then at every interval. */
export const FIRST_CHECK_AFTER_MS = 1_000;
export const FAILURES_BEFORE_RESTART = 3;
/** A gateway that takes longer to say it is healthy is not. */
export const PROBE_TIMEOUT_MS = 2_000;
/** An answer that takes longer is counted as one, and shown as slow. */
export const SLOW_CHECK_MS = 1_000;

/** Ten minutes of checks. */
export const MAX_CHECKS = 60;
export const MAX_EVENTS = 100;
/** The gateway's last lines, for the page; its log file has more. */
export const MAX_OUTPUT_LINES = 200;
export const MAX_OUTPUT_LINE_CHARACTERS = 1_000;

const Time = Type.String({ format: "date-time" });
const OrNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const GatewayState = Type.Union([
  Type.Literal("running"),
  Type.Literal("starting"),
  Type.Literal("stopped"),
  Type.Literal("failed"),
]);

const STATUS = {
  autoRestart: Type.Boolean(),
  gateway: Type.Object({
    state: GatewayState,
    pid: OrNull(Type.Integer()),
    uptime: OrNull(Type.Integer({ description: "Seconds since it came up; null while it is not running" })),
  }),
  lastCheck: OrNull(
    Type.Object({
      at: Time,
      ok: Type.Boolean(),
      latencyMs: Type.Number(),
      error: Type.Optional(Type.String()),
    }),
  ),
  consecutiveFailures: Type.Integer(),
  restarts: Type.Integer(),
};

export const WatchdogStatus = Type.Object(STATUS);
export type WatchdogStatus = Static<typeof WatchdogStatus>;

/** Unknown fields are refused: a misspelt "enabled" would turn the switch the wrong way. */
export const ToggleBody = Type.Object(
  { enabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, nullable: true },
);

const CheckOutcome = Type.Union([
  Type.Literal("ok"),
  Type.Literal("slow"),
  Type.Literal("failed"),
  /** It was time for a check, but the gateway was not running. */
  Type.Literal("none"),
]);
export type CheckOutcome = Static<typeof CheckOutcome>;

/** Round, diamond, square, ring: the shape that stands before a state. */
const Tone = Type.Union([Type.Literal("ok"), Type.Literal("warn"), Type.Literal("danger"), Type.Literal("off")]);

/** The status, and what the page and `backplane gateway watch` show besides. */
export const Snapshot = Type.Object({
  ...STATUS,
  /** How it is, in words. */
  summary: Type.Object({ tone: Tone, title: Type.String(), detail: Type.String() }),
  /** Applications that waited for a code at the last check that was answered. */
  pending: OrNull(Type.Integer()),
  /** Why it is down, or was last. */
  fault: OrNull(Type.String()),
  /** When it is started again, while it waits for that. */
  nextAttempt: OrNull(Type.Object({ at: Time, number: Type.Integer(), of: Type.Integer() })),
  /** Oldest first. */
  checks: Type.Array(Type.Object({ at: Time, outcome: CheckOutcome })),
  /** Newest first. */
  events: Type.Array(Type.Object({ at: Time, says: Type.String() })),
});
export type Snapshot = Static<typeof Snapshot>;
