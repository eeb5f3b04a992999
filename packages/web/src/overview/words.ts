import type { Overview } from "@backplane/contract/platform";

type Process = Overview["processes"][number];

const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The state of the whole in one sentence. */
export function headline(processes: Pick<Process, "state">[]): string {
  const total = processes.length;
  const running = processes.filter(({ state }) => state === "running").length;
  if (running === 0) return "No process is running";
  if (running === total)
    return total === 1 ? "The process is running" : `All ${numbers[total] ?? total} processes are running`;
  return `${running} of ${total} processes ${running === 1 ? "is" : "are"} running`;
}

const databases: Record<Overview["database"], string> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const buses: Record<Overview["bus"], string> = { "in-process": "in-process bus", redis: "Redis" };

export function engines({ database, bus }: Pick<Overview, "database" | "bus">): string {
  return `${databases[database]} and ${buses[bus]}`;
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** How long something is up, in its largest full unit. */
export function up(seconds: number): string {
  if (seconds < MINUTE_S) return `up ${Math.floor(seconds)} s`;
  if (seconds < HOUR_S) return `up ${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < 2 * DAY_S) return `up ${Math.floor(seconds / HOUR_S)} h`;
  return `up ${Math.floor(seconds / DAY_S)} days`;
}

export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The path of a file in the folder of the state, in the spelling of the system that keeps it. */
export function inHome(home: string, file: string): string {
  const separator = home.includes("\\") ? "\\" : "/";
  return home.endsWith(separator) ? home + file : home + separator + file;
}
