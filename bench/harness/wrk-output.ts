import { BenchFault } from "./fault.ts";
import type { LoadResult } from "./load.ts";

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The text that wrk prints, as numbers. */
export function parseWrk(text: string): LoadResult {
  const total = /(\d+) requests in ([\d.]+[a-z]+)/.exec(text);
  const [, requests, duration = ""] = total ?? [];
  if (requests === undefined) throw new BenchFault(`wrk gave no count of requests:\n${text}`);
  const [, lost = ""] = /Socket errors: (.*)/.exec(text) ?? [];
  const [, failed = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(text) ?? [];
  return {
    requests: Number(requests),
    seconds: parseMs(duration) / 1_000,
    p50Ms: percentileMs(text, 50),
    p99Ms: percentileMs(text, 99),
    non2xx: Number(failed),
    socketErrors: [...lost.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0),
  };
}

function percentileMs(text: string, percent: number): number {
  const [, latency = ""] = new RegExp(`^\\s*${percent}%\\s+(\\S+)`, "m").exec(text) ?? [];
  return parseMs(latency);
}

function parseMs(text: string): number {
  const [, value, unit = ""] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  const factor = MILLISECONDS[unit];
  if (value === undefined || factor === undefined)
    throw new BenchFault(`wrk printed "${text}" where a time was expected.`);
  return Number(value) * factor;
}
