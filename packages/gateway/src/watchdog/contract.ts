import { type Static, Type } from "typebox";

export const POLL_INTERVAL_MS = 10_000;
export const FAILURES_BEFORE_RESTART = 3;
/** A gateway that takes longer to say it is healthy is not. */
export const PROBE_TIMEOUT_MS = 2_000;

const GatewayState = Type.Union([
  Type.Literal("running"),
  Type.Literal("starting"),
  Type.Literal("stopped"),
  Type.Literal("failed"),
]);

export const WatchdogStatus = Type.Object({
  autoRestart: Type.Boolean(),
  gateway: Type.Object({
    state: GatewayState,
    pid: Type.Union([Type.Integer(), Type.Null()]),
    /** Seconds since it came up; null while it is not running. */
    uptime: Type.Union([Type.Integer(), Type.Null()]),
  }),
  lastCheck: Type.Union([
    Type.Null(),
    Type.Object({
      at: Type.String({ format: "date-time" }),
      ok: Type.Boolean(),
      latencyMs: Type.Number(),
      error: Type.Optional(Type.String()),
    }),
  ]),
  consecutiveFailures: Type.Integer(),
  restarts: Type.Integer(),
});
export type WatchdogStatus = Static<typeof WatchdogStatus>;
