import { BenchFault } from "./fault.ts";

export type LoadTarget = { label: string; url: string; seconds: number; signal: AbortSignal };

export type LoadResult = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers other than success. */
  non2xx: number;
  /** Connections refused or lost, answers that never came. */
  socketErrors: number;
};

/** A load generator with its work: anything that calls a server for some seconds and counts. */
export type Load = {
  /** For the heading, e.g. `GET /note, 32 connections`. */
  description: string;
  run(target: LoadTarget): Promise<LoadResult>;
};

/** Runs the load. A server that refuses work is fast, so any answer but success is a fault, never a figure. */
export async function runLoad(load: Load, target: LoadTarget): Promise<LoadResult> {
  const result = await load.run(target);
  const { requests, non2xx, socketErrors } = result;
  if (requests === 0) throw new BenchFault(`${target.label} answered no request (${load.description}).`);
  if (non2xx > 0) {
    throw new BenchFault(`${target.label} answered ${non2xx} of ${requests} requests without success.`);
  }
  if (socketErrors > 0) throw new BenchFault(`${target.label}: ${socketErrors} connections failed or timed out.`);
  return result;
}
