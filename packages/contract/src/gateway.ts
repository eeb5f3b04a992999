import { type Static, Type } from "typebox";

/** A registration expires this long after it was made. */
export const REGISTRATION_LIFE_MS = 10 * 60_000;

/** How long a used or expired state is distinguished from an unknown one. */
export const ENDED_MEMORY_MS = 20 * 60_000;

export const GATEWAY_LIMITS = {
  /** One message from a client. */
  maxMessageBytes: 8 * 1024,
  /** Registrations per connection. */
  maxRegistrations: 32,
  /** `register` messages per connection. */
  registersPerSecond: 10,
  /** `register` messages per address in ten seconds, over all its connections. Loopback is not limited. */
  registersPerAddress: 2_000,
  /** Refused messages per connection; one more closes it. */
  maxRefusals: 100,
  /** A connection without registrations is closed after this time. */
  emptyConnectionMs: 30_000,
  connectionLifeMs: 15 * 60_000,
  /** Connections per address. Loopback is not limited: a proxy on this machine connects for everybody. */
  maxPerAddress: 100,
  /** How long the callback page waits for the `ack` of a client that promised one. */
  ackWaitMs: 5_000,
  /** The query or form of a callback. */
  maxCallbackBytes: 8 * 1024,
  maxCallbackParameters: 32,
  /** Used and expired states that are remembered, per generation (see `BoundedMap`). */
  maxEndedRemembered: 65_536,
};

/** How long and how often the waiting page asks again for an application that lost its connection. */
export const WAITING_PAGE_MS = 30_000;
export const WAITING_PAGE_INTERVAL_MS = 1_000;

/** Visible ASCII (RFC 6749 A.5 without the space): libraries send UUIDs, base64, `|` and encrypted text. Shorter ones could be guessed. */
export const MIN_STATE_LENGTH = 16;
export const MAX_STATE_LENGTH = 1_024;
export const STATE_PATTERN = `^[\\x21-\\x7e]{${MIN_STATE_LENGTH},${MAX_STATE_LENGTH}}$`;
export const MAX_PROVIDER_LENGTH = 100;
/** SHA-256 in base64url. */
export const CHALLENGE_PATTERN = "^[A-Za-z0-9_-]{43}$";
export const MAX_SECRET_LENGTH = 256;

export type RegisterMessage = {
  type: "register";
  state: string;
  provider: string;
  /** base64url SHA-256 of a secret. Another connection then needs that secret to register this state. */
  challenge?: string;
  secret?: string;
  /** The client promises an `ack` for the callback. */
  ack?: boolean;
};

export type ClientMessage =
  | RegisterMessage
  | { type: "unregister"; state: string }
  /** The callback has arrived; sent by clients that registered with `ack: true`. */
  | { type: "ack"; state: string };

export type CallbackQuery = Record<string, string>;

export type GatewayMessage =
  | { type: "registered"; state: string }
  | { type: "callback"; state: string; code: string; query: CallbackQuery }
  | {
      type: "error";
      /** As the refused message named it, valid or not; null when it named none. */
      state: string | null;
      /** A sentence for people, or the provider's error code. */
      error: string;
      /** Stable, for programs; `provider-error` when the error came from the provider. */
      code: string;
      error_description?: string;
      query?: CallbackQuery;
    };

export const GatewayStatus = Type.Object({
  status: Type.Literal("ok"),
  pending: Type.Integer({ description: "Registrations waiting for their callback" }),
  uptime: Type.Integer({ description: "Seconds since the gateway started" }),
  connections: Type.Integer(),
  started_at: Type.String({ format: "date-time" }),
  version: Type.String(),
  instance: Type.String(),
  delivered: Type.Integer(),
  expired: Type.Integer(),
});
export type GatewayStatus = Static<typeof GatewayStatus>;

// The watchdog

/** How often it checks the gateway, and `backplane up` the other processes. */
export const CHECK_INTERVAL_MS = 10_000;
/** A gateway that has started is checked after this time, and then at every interval. */
export const FIRST_CHECK_AFTER_MS = 1_000;
export const FAILURES_BEFORE_RESTART = 3;
/** A check that takes longer has failed. */
export const CHECK_TIMEOUT_MS = 2_000;
/** A check that takes longer counts as answered, but is shown as slow. */
export const SLOW_CHECK_MS = 1_000;

/** Checks that are kept: ten minutes of them. */
export const MAX_CHECKS = 60;
export const MAX_EVENTS = 100;
/** The gateway's last output lines, for the page; its log file has more. */
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
    uptime: OrNull(Type.Integer({ description: "Seconds since it started; null while it is not running" })),
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

/** Without `enabled`, the request toggles. */
export const ToggleBody = Type.Object({ enabled: Type.Optional(Type.Boolean()) }, { nullable: true });

const CheckOutcome = Type.Union([
  Type.Literal("ok"),
  Type.Literal("slow"),
  Type.Literal("failed"),
  /** The gateway was not running when a check was due. */
  Type.Literal("none"),
]);
export type CheckOutcome = Static<typeof CheckOutcome>;

/** The shape shown before a state: dot, diamond, square, ring. */
const Tone = Type.Union([Type.Literal("ok"), Type.Literal("warn"), Type.Literal("danger"), Type.Literal("off")]);

/** The status, and everything else that the page and `backplane gateway watch` show. */
export const WatchdogSnapshot = Type.Object({
  ...STATUS,
  /** The state in words. */
  summary: Type.Object({ tone: Tone, title: Type.String(), detail: Type.String() }),
  /** Applications waiting for a code, as of the last successful check. */
  pending: OrNull(Type.Integer()),
  /** Why it is down, or was down last. */
  fault: OrNull(Type.String()),
  /** When the next restart is due, while it waits for one. */
  nextAttempt: OrNull(Type.Object({ at: Time })),
  /** Oldest first. */
  checks: Type.Array(Type.Object({ at: Time, outcome: CheckOutcome })),
  /** Newest first. */
  events: Type.Array(Type.Object({ at: Time, says: Type.String() })),
});
export type WatchdogSnapshot = Static<typeof WatchdogSnapshot>;
