import type { FirstStep } from "@backplane/contract/platform";

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
};
