import type { Overview, ProcessName, ProcessState } from "@backplane/contract/platform";
import type { Tone } from "../parts/state.tsx";
import { counted, numberWord } from "../parts/words.ts";

type Process = Overview["processes"][number];

/** The state of all processes in one sentence. */
export function headline(processes: Pick<Process, "state">[]): string {
  const total = processes.length;
  const running = processes.filter(({ state }) => state === "running").length;
  if (running === 0) return "No process is running";
  if (running === total)
    return total === 1 ? "The process is running" : `All ${numberWord(total)} processes are running`;
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

/** How long something has been up, in its largest full unit. */
export function up(seconds: number): string {
  if (seconds < MINUTE_S) return `up ${Math.floor(seconds)} s`;
  if (seconds < HOUR_S) return `up ${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < 2 * DAY_S) return `up ${Math.floor(seconds / HOUR_S)} h`;
  return `up ${Math.floor(seconds / DAY_S)} days`;
}

/** The path of a file in the data folder, with the path separator of the server's system. */
export function inHome(home: string, file: string): string {
  const separator = home.includes("\\") ? "\\" : "/";
  return home.endsWith(separator) ? home + file : home + separator + file;
}

/** A process as the rack shows it. */
export type Module = {
  name: ProcessName;
  tone: Tone;
  word: string;
  /** Its task, or why it is not running. */
  line: string;
  explains: boolean;
  port: number;
  url: string;
  gauge: string | undefined;
  /** It answers, so its contacts are lit. */
  live: boolean;
};

const tasks: Record<ProcessName, string> = {
  platform: "Packages, sign-in, workspaces",
  gateway: "Routes OAuth codes",
  watchdog: "Restarts a failed gateway",
  viewer: "Screenshot paste and naming",
};

const now: Record<ProcessState, { tone: Tone; word: string }> = {
  running: { tone: "ok", word: "Running" },
  degraded: { tone: "warn", word: "Not ready" },
  unreachable: { tone: "danger", word: "Not answering" },
};

// The platform reports on the others: while it does not answer, their state is unknown.
const before: Record<ProcessState, string> = {
  running: "Was running",
  degraded: "Was not ready",
  unreachable: "Did not answer",
};

function gauge({ pending, restarts, uptimeS }: Process): string | undefined {
  if (pending !== undefined) return `${pending} waiting`;
  if (restarts !== undefined) return counted(restarts, "restart");
  return uptimeS === undefined ? undefined : up(uptimeS);
}

export function toModule(process: Process): Module {
  const { name, port, url, state, detail } = process;
  const explains = state !== "running" && detail !== undefined;
  return {
    name,
    ...now[state],
    line: explains ? detail : tasks[name],
    explains,
    port,
    url,
    gauge: state === "unreachable" ? undefined : gauge(process),
    live: state !== "unreachable",
  };
}

/** The same process while the platform does not answer. */
export function toStaleModule(process: Process): Module {
  const { name, port, url, state } = process;
  const silent = name === "platform" ? now.unreachable : { tone: "off" as const, word: before[state] };
  return { name, ...silent, line: tasks[name], explains: false, port, url, gauge: undefined, live: false };
}
