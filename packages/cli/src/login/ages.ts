import { InvalidArgumentError } from "commander";

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const MIN_S = 60;
const MAX_S = 31_536_000;

/** `90d`, `12h`, `30m`, `3600s` or `3600` as seconds. */
export function seconds(text: string): number {
  const [, count, unit = "s"] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const value = Number(count) * UNITS[unit as keyof typeof UNITS];
  if (!(value >= MIN_S && value <= MAX_S)) {
    throw new InvalidArgumentError("Use a time from 60s to 365d, such as 90d, 12h or 30m.");
  }
  return value;
}
