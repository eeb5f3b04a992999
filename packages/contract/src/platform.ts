import { type Static, Type } from "typebox";
import { NAME_PATTERN } from "./accounts.ts";

/** How long a probe of another process may take before it counts as unreachable. */
export const PROBE_TIMEOUT_MS = 1_000;

/** Probes are shared by everybody who looks at the overview within this time. */
export const PROBE_CACHE_MS = 1_000;

export const ProcessName = Type.Union([
  Type.Literal("platform"),
  Type.Literal("gateway"),
  Type.Literal("watchdog"),
  Type.Literal("viewer"),
]);
export type ProcessName = Static<typeof ProcessName>;

/** running: answers and takes work. degraded: answers, but /ready says no or names a failing check. unreachable: does not answer. */
export const ProcessState = Type.Union([
  Type.Literal("running"),
  Type.Literal("degraded"),
  Type.Literal("unreachable"),
]);
export type ProcessState = Static<typeof ProcessState>;

export const ProcessReport = Type.Object({
  name: ProcessName,
  url: Type.String(),
  port: Type.Integer(),
  state: ProcessState,
  uptimeS: Type.Optional(Type.Number()),
  /** gateway only: applications that wait for a code. */
  pending: Type.Optional(Type.Integer()),
  /** watchdog only: how often it restarted the gateway. */
  restarts: Type.Optional(Type.Integer()),
  /** Why it is degraded or unreachable, in words. */
  detail: Type.Optional(Type.String()),
});
export type ProcessReport = Static<typeof ProcessReport>;

/** What GET /api/overview tells signed-in callers: which parts are up, and on which engines. */
export const Overview = Type.Object({
  running: Type.Literal(true),
  version: Type.String(),
  startedAt: Type.String({ format: "date-time" }),
  database: Type.Union([Type.Literal("sqlite"), Type.Literal("postgres")]),
  bus: Type.Union([Type.Literal("in-process"), Type.Literal("redis")]),
  /** Where the state is kept; told only while everything listens on loopback. */
  home: Type.Optional(Type.String()),
  /** Whether that folder holds owner.json. */
  ownerFile: Type.Boolean(),
  processes: Type.Array(ProcessReport),
  /** The package repository in KiCad's spelling; absent when it is not served. */
  kicadUrl: Type.Optional(Type.String()),
});
export type Overview = Static<typeof Overview>;

/** Callers who are not signed in are told only that it runs. */
export const OverviewAnswer = Type.Union([
  Overview,
  Type.Object({ running: Type.Literal(true) }, { additionalProperties: false }),
]);
export type OverviewAnswer = Static<typeof OverviewAnswer>;

/** Steps of a new person that leave no other trace. The first time counts, for ever. */
export const FIRST_STEPS = ["passkey", "kicad", "connect", "publish", "panel", "workspace"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

const StepTime = Type.Optional(Type.String({ format: "date-time" }));
/** GET /api/first-steps: when the caller took each step; absent: not yet. */
export const FirstSteps = Type.Object({
  ...{ passkey: StepTime, kicad: StepTime, connect: StepTime, publish: StepTime, panel: StepTime, workspace: StepTime },
});
export type FirstSteps = Static<typeof FirstSteps>;

/** What the overview plots, per minute. */
export const ACTIVITY_KINDS = ["codes", "signIns", "publishes", "evals"] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];
export const ACTIVITY_MINUTES = 60;

/** One number per minute, the oldest first. */
const PerMinute = Type.Array(Type.Integer(), { minItems: ACTIVITY_MINUTES, maxItems: ACTIVITY_MINUTES });
const Plot = Type.Object({ done: PerMinute, failed: PerMinute });
export type Plot = Static<typeof Plot>;

/** GET /api/activity: what all instances did in the last hour. */
export const Activity = Type.Object({
  /** The end of the last minute. */
  until: Type.String({ format: "date-time" }),
  ...{ codes: Plot, signIns: Plot, publishes: Plot, evals: Plot },
});
export type Activity = Static<typeof Activity>;

/** What the overview lists as the latest events. */
const LATEST_KINDS = ["publish", "connect", "workspace", "invite", "key"] as const;
export type LatestKind = (typeof LATEST_KINDS)[number];

export const PLATFORM_LIMITS = {
  /** Events that are kept, on all instances together, and how many of them are listed. */
  maxLatestKept: 100,
  maxLatestListed: 5,
  maxLatestText: 200,
} as const;

/** GET /api/latest: the newest first. */
export const Latest = Type.Object({
  events: Type.Array(
    Type.Object({
      at: Type.String({ format: "date-time" }),
      by: Type.String({ description: "The name of the person; empty when the account is gone" }),
      kind: Type.Enum(LATEST_KINDS),
      what: Type.String({ description: "A package with its version, a workspace, the name of a key; empty: unknown" }),
    }),
  ),
});
export type Latest = Static<typeof Latest>;
export type LatestEvent = Latest["events"][number];

const Bytes = Type.Object({ bytes: Type.Integer(), maxBytes: Type.Integer() });
const Count = Type.Object({ count: Type.Integer(), max: Type.Integer() });

export const UsageQuery = Type.Object({
  owner: Type.Optional(Type.String({ pattern: NAME_PATTERN, description: "Yourself unless given" })),
});

/** GET /api/usage: what a person or an organisation has, and how much of it they can have. */
export const Usage = Type.Object({
  owner: Type.String(),
  /** Of all workspaces together, with screenshots. */
  files: Bytes,
  workspaces: Count,
  /** Of all published versions. */
  archives: Type.Object({ ...Bytes.properties, versions: Type.Integer() }),
  packages: Count,
});
export type Usage = Static<typeof Usage>;
