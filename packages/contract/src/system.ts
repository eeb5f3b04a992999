import { type Static, Type } from "typebox";
import { Overview, ProcessReport } from "./platform.ts";

/** The bounds of GET /api/system: it answers in about this time, whatever does not answer behind it. */
export const SYSTEM_LIMITS = {
  /** One part, such as the database, has this long. Then the answer comes without it and says so. */
  partTimeoutMs: 2_000,
  /** Parts are read at most this often, however many people look. */
  partCacheMs: 2_000,
  /** The same for sizes and quotas, which are sums over tables. */
  sizesCacheMs: 60_000,
  maxInstances: 50,
  /** The fullest ones. */
  maxQuotas: 10,
  /** How far answer times and sizes go back. */
  historyDays: 30,
} as const;

/** Quotas are marked from here on, so that people see it before they are full. */
export const QUOTA_WARN_PERCENT = 85;

/**
 * One thing that `backplane doctor` and the System page check. ok: fine. note: missing, but Backplane runs without it.
 * warning: Backplane runs, at a cost. fault: it does not work.
 */
export const Finding = Type.Object({
  check: Type.String({ examples: ["database"] }),
  state: Type.Union([Type.Literal("ok"), Type.Literal("note"), Type.Literal("warning"), Type.Literal("fault")]),
  says: Type.String({ examples: ["PostgreSQL answers"] }),
  /** What it costs that this is so. */
  cost: Type.Optional(Type.String({ examples: ["Nobody can sign in."] })),
  /** The next step, one sentence. */
  fix: Type.Optional(Type.String({ examples: ["Start it, or correct DATABASE_URL."] })),
});
export type Finding = Static<typeof Finding>;

/** A platform process that uses the database. What only newer versions tell is optional. */
export const SystemInstance = Type.Object({
  name: Type.String({ examples: ["rack-1:8790"] }),
  /** The one that answers. */
  isThis: Type.Boolean(),
  version: Type.Optional(Type.String({ examples: ["0.2.0"] })),
  startedAt: Type.Optional(Type.String({ format: "date-time", examples: ["2026-11-16T14:31:00.000Z"] })),
  /** How far its clock is ahead of the database's. */
  clockOffsetMs: Type.Integer(),
  /** Browsers that have a workspace open there. */
  connected: Type.Optional(Type.Integer()),
  memoryBytes: Type.Optional(Type.Integer()),
  /** The slowest answer of the database there in each of the last minutes, the oldest first. Null: it did not answer. */
  answersMs: Type.Optional(Type.Array(Type.Union([Type.Number(), Type.Null()]), { examples: [[1.2, 4, null, 2.1]] })),
});
export type SystemInstance = Static<typeof SystemInstance>;

const Size = Type.Integer({ minimum: 0, examples: [4_294_967_296] });

/** What is on one disk, and how much room it has. */
export const Disk = Type.Object({
  holds: Type.Array(Type.String({ examples: ["home"] })),
  freeBytes: Size,
  totalBytes: Size,
});
export type Disk = Static<typeof Disk>;

const QuotaUse = Type.Object({
  owner: Type.String(),
  of: Type.Union([Type.Literal("files"), Type.Literal("archives"), Type.Literal("packages")]),
  used: Size,
  max: Size,
});
export type QuotaUse = Static<typeof QuotaUse>;

/** A day (UTC): the slowest answer of the database, and the sizes at its end. */
export const SystemDay = Type.Object({
  day: Type.String({ format: "date", examples: ["2026-11-16"] }),
  slowestMs: Type.Number(),
  databaseBytes: Size,
  archiveBytes: Size,
  fileBytes: Size,
});
export type SystemDay = Static<typeof SystemDay>;

/** GET /api/system: what the owner of the instance needs to run it. Parts that did not answer are absent, and named in `silent`. */
export const System = Type.Object({
  version: Type.String({ examples: ["0.2.0"] }),
  startedAt: Type.String({ format: "date-time", examples: ["2026-11-16T14:31:00.000Z"] }),
  instances: Type.Optional(Type.Array(SystemInstance)),
  /** Those of this machine. */
  processes: Type.Optional(Type.Array(ProcessReport)),
  database: Type.Object({
    engine: Overview.properties.database,
    version: Type.Optional(Type.String({ examples: ["17.6"] })),
    bytes: Type.Optional(Size),
    answerMs: Type.Optional(Type.Number()),
    migrations: Type.Optional(Type.Integer()),
    /** PostgreSQL only: of all programs that use this server. */
    connections: Type.Optional(Type.Object({ count: Type.Integer(), max: Type.Integer() })),
  }),
  bus: Type.Object({ engine: Overview.properties.bus, answerMs: Type.Optional(Type.Number()) }),
  storage: Type.Optional(
    Type.Object({
      archives: Type.Object({
        kind: Type.Union([Type.Literal("folder"), Type.Literal("s3")]),
        bytes: Size,
        versions: Type.Integer(),
      }),
      /** Of all workspaces, with screenshots. */
      files: Type.Object({ bytes: Size }),
    }),
  ),
  disks: Type.Optional(Type.Array(Disk)),
  /** The fullest quotas, the fullest first. */
  quotas: Type.Optional(Type.Array(QuotaUse)),
  /** The oldest day first. Days on which no platform ran are left out. */
  history: Type.Optional(Type.Array(SystemDay)),
  findings: Type.Array(Finding),
  silent: Type.Array(Type.String({ examples: ["bus"] })),
});
export type System = Static<typeof System>;
