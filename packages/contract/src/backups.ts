import { type Static, Type } from "typebox";

/** What GET /api/system/backups lists at most, the newest first. */
export const MAX_LISTED_BACKUPS = 50;

export const BackupState = Type.Union([Type.Literal("running"), Type.Literal("done"), Type.Literal("failed")]);
export type BackupState = Static<typeof BackupState>;

const Backup = Type.Object({
  id: Type.String(),
  startedAt: Type.String({ format: "date-time" }),
  finishedAt: Type.Optional(Type.String({ format: "date-time" })),
  /** The moment whose state the backup contains. */
  moment: Type.Optional(Type.String({ format: "date-time" })),
  /** The size of the file. */
  bytes: Type.Optional(Type.Integer()),
  /** The file, or its address in an S3-like store. */
  place: Type.String(),
  state: BackupState,
  /** Why it failed, as a sentence with the next step. */
  error: Type.Optional(Type.String()),
  /** While it runs: what is being written, and how many bytes are. */
  progress: Type.Optional(Type.Object({ step: Type.String(), bytes: Type.Integer() })),
});
export type Backup = Static<typeof Backup>;

/** How many days back it counts them. */
export const BACKUP_DAYS = 30;

/** How many backups began on a day (UTC), and how they ended. */
const BackupDay = Type.Object({
  day: Type.String({ format: "date", examples: ["2026-11-16"] }),
  done: Type.Integer(),
  failed: Type.Integer(),
  /** Why the last one of them failed. */
  error: Type.Optional(Type.String()),
});
export type BackupDay = Static<typeof BackupDay>;

/** GET /api/system/backups */
export const Backups = Type.Object({
  /** The newest first. */
  backups: Type.Array(Backup),
  /** The last days, today last; days without a backup count zero. */
  days: Type.Optional(Type.Array(BackupDay)),
  /** When the next one is due; absent without BACKUP_EVERY. */
  next: Type.Optional(Type.String({ format: "date-time" })),
});
export type Backups = Static<typeof Backups>;

/** POST /api/system/backups: it was started. */
export const StartedBackup = Type.Object({ id: Type.String() });
export type StartedBackup = Static<typeof StartedBackup>;
