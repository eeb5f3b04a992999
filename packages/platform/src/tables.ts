import type { BackupState } from "@backplane/contract/backups";
import type { FirstStep, LatestKind } from "@backplane/contract/platform";

/** The tables of the platform itself. Times are epoch milliseconds. */
export type PlatformTables = {
  /** What happened in one minute, on all instances together. */
  activity: {
    minute_ms: number;
    kind: string;
    done: number;
    failed: number;
  };
  /** When a person first did what the overview shows as a first step. */
  first_steps: { user_id: string; step: FirstStep; at_ms: number };
  /** The last things that people did. */
  latest: { id: string; at_ms: number; user_id: string; kind: LatestKind; what: string };
  /** What the System page shows as history, on all instances together. */
  system_hours: {
    hour_ms: number;
    /** The slowest answer of the database, in microseconds. */
    slowest_us: number;
    database_bytes: number;
    archive_bytes: number;
    file_bytes: number;
  };
  /** Backups that run or ran. */
  backups: {
    id: string;
    state: BackupState;
    place: string;
    is_scheduled: number;
    started_at_ms: number;
    /** Raised while it runs: one that is not seen for a while has ended without saying so. */
    seen_at_ms: number;
    finished_at_ms: number | null;
    moment_ms: number | null;
    /** So far, while it runs. */
    bytes: number | null;
    /** What is being written. */
    step: string;
    /** Machine and process id of the program that writes it. */
    holder: string;
    error: string | null;
  };
};
