/** One line that the code printed. */
export type EvalLog = { level: "log" | "info" | "warn" | "error" | "debug"; text: string };

/** Bounds that the frame of a sandbox keeps to, and the page expects. */
export type FrameBounds = {
  maxLogs: number;
  /** Output that belongs to no call. */
  maxLogsPerSecond: number;
  maxLogLength: number;
  maxResultBytes: number;
  maxErrorLength: number;
  /** Code that has not ended by then says that it waits for a promise. */
  waitingAfterMs: number;
};

/** From the page to the code's frame, over their port. */
export type PageToFrame =
  | { type: "eval"; id: number; code: string; isPrepared: boolean }
  | { type: "ping"; id: number }
  /** Of what shows where the page draws nothing. */
  | { type: "rasterise"; id: number; background: string };

export type FrameToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  /** The code itself has run; the promise that it gave is open. */
  | { type: "waiting"; id: number }
  /** `id`: the call it belongs to, if one is under way. */
  | { type: "log"; id: number | null; level: EvalLog["level"]; text: string }
  | {
      type: "executed";
      id: number;
      /** Absent: undefined. */
      json?: string;
      /** As a console shows it. */
      text: string;
      durationMs: number;
    }
  | { type: "failed"; id: number; error: string; durationMs: number }
  | { type: "picture"; id: number; bytes: ArrayBuffer }
  | { type: "no-picture"; id: number; error: string };

/** Between the page and the outer document, which hands on the port and otherwise only looks. */
export type OuterToPage = { type: "sandbox-loaded" } | { type: "sandbox-gone" };
export type PageToOuter = { type: "sandbox-port" };
