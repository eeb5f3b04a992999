import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WatchdogSnapshot, WatchdogStatus } from "@backplane/contract/gateway";
import { EXIT, exitCodeOf, isErrorCode } from "@backplane/contract/problems";
import { isLoopback, localUrl } from "@backplane/kit/settings";
import { type Refusal, refuse } from "../refusal.ts";
import { commandSettings } from "../running.ts";

export type Answer<T> = { kind: "answer"; body: T } | { kind: "refused"; refusal: Refusal };

export type WatchdogClient = {
  /** Its address for a browser. */
  url: string;
  status(): Promise<Answer<WatchdogStatus>>;
  snapshot(): Promise<Answer<WatchdogSnapshot>>;
  command(name: "start" | "stop" | "restart"): Promise<Answer<WatchdogStatus>>;
};

const ASK_TIMEOUT_MS = 3_000;
/** Long enough for a stop with the longest DRAIN_DELAY_S (60 s) and a slow start. */
const COMMAND_TIMEOUT_MS = 120_000;

/** Calls the watchdog at WATCHDOG_PORT. On this machine that needs no token; elsewhere, the one in the home folder. */
export function openWatchdog(command: Pick<NodeJS.Process, "env" | "cwd">): WatchdogClient {
  const { host, watchdogPort, home } = commandSettings(command);
  const base = localUrl(host, watchdogPort);
  const isLocal = isLoopback(new URL(base).hostname.replace(/^\[|\]$/g, ""));
  const url = isLocal ? `http://localhost:${watchdogPort}` : base;
  const token = isLocal ? undefined : readToken(home);

  async function ask<T>(method: string, path: string, timeoutMs: number): Promise<Answer<T>> {
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { accept: "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = (await response.json()) as T & Partial<Record<"code" | "title" | "detail", string>>;
      if (response.ok && body !== null && typeof body === "object") return { kind: "answer", body };
      const { code, title, detail = "" } = body ?? {};
      if (!code || !title || code === "not-found") return notTheWatchdog(url);
      const exit = isErrorCode(code) ? exitCodeOf(code) : EXIT.failed;
      return { kind: "refused", refusal: { code, message: `${title}. ${detail}`.trim(), exit } };
    } catch (error) {
      return error instanceof SyntaxError ? notTheWatchdog(url) : noAnswer(url);
    }
  }
  return {
    url,
    status: () => ask("GET", "/status", ASK_TIMEOUT_MS),
    snapshot: () => ask("GET", "/snapshot", ASK_TIMEOUT_MS),
    command: (name) => ask("POST", `/${name}`, COMMAND_TIMEOUT_MS),
  };
}

const unreachable = (...lines: string[]) => ({
  kind: "refused" as const,
  refusal: refuse("watchdog-unreachable", lines.join(" ")),
});

const noAnswer = (url: string) =>
  unreachable(`The watchdog does not answer at ${url}.`, "Start everything with: backplane up");

const notTheWatchdog = (url: string) =>
  unreachable(`The server at ${url} is not the watchdog.`, "Set WATCHDOG_PORT to the port that backplane up printed.");

function readToken(home: string): string | undefined {
  try {
    return readFileSync(join(home, "watchdog-token"), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
