import type { Overview, ProcessName, ProcessState } from "@backplane/contract/platform";
import type { Tone } from "../parts/state.tsx";
import { count, up } from "./words.ts";

type Process = Overview["processes"][number];

/** What the rack shows of a process. */
export type Module = {
  name: ProcessName;
  tone: Tone;
  word: string;
  /** Its task, or why it does not do it. */
  line: string;
  explains: boolean;
  port: number;
  url: string;
  gauge: string | undefined;
  /** Its contacts are lit: it answers. */
  live: boolean;
};

const tasks: Record<ProcessName, string> = {
  platform: "For packages, sign-in, workspaces",
  gateway: "For OAuth codes",
  watchdog: "Restarts a failed gateway",
  viewer: "For screenshots",
};

const now: Record<ProcessState, { tone: Tone; word: string }> = {
  running: { tone: "ok", word: "Running" },
  degraded: { tone: "warn", word: "Not ready" },
  unreachable: { tone: "danger", word: "Not answering" },
};

// The platform reports on the others: while it is silent, what they do now is not known.
const before: Record<ProcessState, string> = {
  running: "Was running",
  degraded: "Was not ready",
  unreachable: "Did not answer",
};

function gauge({ pending, restarts, uptimeS }: Process): string | undefined {
  if (pending !== undefined) return `${pending} waiting`;
  if (restarts !== undefined) return count(restarts, "restart", "restarts");
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
