import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Log } from "../log.ts";
import { Problem } from "../problems.ts";
import { systemProblem } from "../system-problems.ts";

/** For files, the database, Redis and connections to others. */
const RESERVED_DESCRIPTORS = 500;

/** How many connections a process may accept so that it never needs the last file descriptor for one. */
export function connectionsWithin(openFiles: number | undefined, atMost: number): number {
  if (openFiles === undefined) return atMost;
  return Math.min(atMost, Math.max(openFiles - RESERVED_DESCRIPTORS, Math.floor(openFiles / 2)));
}

/** How many files this process may have open (`ulimit -n`); undefined where the system does not say. */
export function openFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Logs connections that were not accepted. Without a listener for errors, the first one would end the process. */
export function reportRefusedConnections(server: Server, log: Log): void {
  server.on("error", (error) => log.error({ err: systemProblem(error) ?? error }, "a connection was not accepted"));
  server.on("drop", () => {
    const detail = `All ${server.maxConnections} connections are in use. If it lasts, raise the limit of open files (ulimit -n).`;
    log.error({ err: new Problem("out-of-descriptors", { detail }) }, "a connection was not accepted");
  });
}
