import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WatchdogSnapshot, WatchdogStatus } from "@backplane/contract/gateway";
import { isLoopback, localUrl, type Settings } from "@backplane/kit/settings";

export type Answer<T> =
  | { kind: "answer"; body: T }
  /** It answered that it could not, and why. */
  | { kind: "problem"; code: string; title: string; detail: string }
  | { kind: "unreachable"; sentence: string };

export type WatchdogClient = {
  /** Where a person opens it. */
  url: string;
  status(): Promise<Answer<WatchdogStatus>>;
  snapshot(): Promise<Answer<WatchdogSnapshot>>;
  command(name: "start" | "stop" | "restart"): Promise<Answer<WatchdogStatus>>;
};

const ASK_TIMEOUT_MS = 3_000;
/** A stop, then a start with all of its grace. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Speaks to the watchdog of these settings. On loopback it needs no token; else it is the one in the home folder. */
export function createWatchdogClient(settings: Settings, fetch: typeof globalThis.fetch): WatchdogClient {
  const { host, watchdogPort, home } = settings;
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
      return code && title && code !== "not-found" ? { kind: "problem", code, title, detail } : notTheWatchdog(url);
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

const noAnswer = (url: string) => ({
  kind: "unreachable" as const,
  sentence: `The watchdog does not answer at ${url}. Start everything with: backplane up`,
});

const notTheWatchdog = (url: string) => ({
  kind: "unreachable" as const,
  sentence: `What answers at ${url} is not the watchdog. Set WATCHDOG_PORT to the port that backplane up has shown.`,
});

function readToken(home: string): string | undefined {
  try {
    return readFileSync(join(home, "watchdog-token"), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
