import { setTimeout as delay } from "node:timers/promises";
import type { Kept } from "./kept.ts";
import { probeIntervalMs, retryDelayMs, startAttempts, startTimeoutMs } from "./limits.ts";

/** A server that a test can stop and start again. */
export type Service = {
  url: string;
  port: number;
  /** Stops it cleanly; `start` brings it back with the same port and data. */
  stop(): Promise<void>;
  /** Returns when a connection answers. */
  start(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Parts = {
  name: string;
  url: string;
  port: number;
  kept: Kept;
  stopSignal: NodeJS.Signals;
  killSignal?: NodeJS.Signals;
  /** Resolves when the server answers a client. */
  ping(): Promise<void>;
};

export function createService({ name, url, port, kept, stopSignal, killSignal = "SIGKILL", ping }: Parts): Service {
  return {
    url,
    port,
    start: () => startAndWait(name, kept, ping),
    stop: () => kept.end(stopSignal),
    kill: () => kept.end(killSignal),
    [Symbol.asyncDispose]: () => kept.close(),
  };
}

async function startAndWait(name: string, kept: Kept, ping: () => Promise<void>): Promise<void> {
  // After a kill, PostgreSQL refuses to start while one of its old backends is still running: try again.
  for (let attempt = 1; attempt <= startAttempts; attempt++) {
    if (kept.pid() === undefined) await kept.start();
    if (await answers(kept, ping)) return;
    await delay(retryDelayMs * attempt);
  }
  throw new Error(`${name} did not start. It said:\n${kept.logTail()}`);
}

async function answers(kept: Kept, ping: () => Promise<void>): Promise<boolean> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (kept.pid() !== undefined && performance.now() < deadlineMs) {
    try {
      await ping();
      return true;
    } catch {
      await delay(probeIntervalMs);
    }
  }
  return false;
}
