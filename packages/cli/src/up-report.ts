import { FAILURES_BEFORE_RESTART } from "@backplane/contract/gateway";
import type { Settings } from "@backplane/kit/settings";
import { type ChildEvent, RESTARTS_BEFORE_EXIT } from "@backplane/kit/supervise";
import { VERSION } from "@backplane/kit/version";
import { SHAPES, type Terminal, type Tone, table } from "./terminal.ts";

const NAME_WIDTH = 9;
/** The same warning of a process is shown only once in this time; the log file has all of them. */
const REPEAT_AFTER_MS = 10_000;

export type OwnerFile = { name: string; password: string; api_key: string };

export type UpReport = {
  starting(home: string): void;
  faults(faults: readonly string[]): void;
  event(name: string, event: ChildEvent): void;
  checkFailed(name: string, error: string, consecutive: number): void;
  /** It was restarted too often: everything ends. */
  failed(name: string): void;
  /** A line that a process printed. Warnings and errors are shown. */
  printed(name: string, line: string): void;
  addresses(settings: Settings, logs: string, owner: { credentials: OwnerFile | undefined; path: string }): void;
  /** Settings that do not fit together. */
  settingWarnings(sentences: readonly string[]): void;
  stopping(): void;
  stopped(): void;
};

/** What `backplane up` prints. */
export function createUpReport(out: Terminal, err: Terminal, now: () => number): UpReport {
  const shownAtMs = new Map<string, number>();
  let isStopping = false;
  let isUp = false;
  const row: Row = (tone, name, text) =>
    out.hint(`  ${out.paint(tone, SHAPES[tone])} ${name.padEnd(NAME_WIDTH)} ${text}`);
  const life = createLifeReport(out, row);

  return {
    starting: (home) => out.line(`${out.paint("strong", "Backplane")} ${VERSION}, state in ${home}`),
    faults(faults) {
      err.line(err.paint("danger", `${SHAPES.danger} Backplane did not start.`));
      for (const fault of faults.flatMap((text) => text.split("\n"))) err.line(`  ${fault}`);
    },
    event(name, event) {
      if (!isStopping) life.event(name, event);
    },
    checkFailed(name, error, consecutive) {
      if (!isStopping) row("warn", name, `check failed (${consecutive} of ${FAILURES_BEFORE_RESTART}): ${error}`);
    },
    failed(name) {
      err.line(
        err.paint(
          "danger",
          `${SHAPES.danger} ${name} does not stay up: it was restarted ${RESTARTS_BEFORE_EXIT} times. See its log. Ending, because of --exit-on-failure.`,
        ),
      );
    },
    printed(name, line) {
      // Why a process did not start is reported once, after all have been stopped.
      const warning = isUp && !isStopping ? warningIn(line) : undefined;
      // The row about a process that does not start says why.
      if (warning === undefined || life.notStarted().includes(name)) return;
      const key = `${name} ${warning}`;
      if (now() - (shownAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
      // A bound, in case texts vary. Forgetting them is harmless.
      if (shownAtMs.size > 100) shownAtMs.clear();
      shownAtMs.set(key, now());
      row("warn", name, warning);
    },
    addresses(settings, logs, { credentials, path }) {
      isUp = true;
      const owner = credentials
        ? [
            ["Owner", credentials.name],
            ["Password", credentials.password],
            ["API key", credentials.api_key],
            ["", `shown once; all three are also in ${path}`],
          ]
        : [["Owner", `name, password and API key in ${path}`]];
      const rows = [
        ["Overview", settings.baseUrl],
        ["API reference", `${settings.baseUrl}/docs/`],
        ["Gateway", settings.gatewayUrl],
        ["Watchdog", `http://localhost:${settings.watchdogPort}`],
        ["Viewer", `${settings.viewerUrl}/screenshot-paste`],
        [],
        ...owner,
        [],
        ["Logs", logs],
      ];
      out.line();
      for (const line of table(rows)) out.line(line);
      out.line();
      const missing = life.notStarted().join(" and ");
      out.line(
        missing === ""
          ? "Everything is running. Ctrl-C stops it."
          : `Everything except ${missing} is running. ${missing} is tried again until it starts. Ctrl-C stops everything.`,
      );
    },
    settingWarnings(sentences) {
      for (const sentence of sentences) row("warn", "settings", sentence);
    },
    stopping() {
      isStopping = true;
      out.line("\nStopping …");
    },
    stopped: () => out.line("Stopped. Nothing is left running."),
  };
}

type Row = (tone: keyof typeof SHAPES & Tone, name: string, text: string) => void;

/** What becomes of the processes, in a row or two per event. */
function createLifeReport(out: Terminal, row: Row) {
  const seen = new Set<string>();
  const exitReasons = new Map<string, string>();
  /** Why a process does not start, until it does. */
  const startFaults = new Map<string, string>();
  return {
    notStarted: () => [...startFaults.keys()],
    event(name: string, event: ChildEvent): void {
      switch (event.type) {
        case "running": {
          const again = seen.has(name) ? ` again, process ${event.pid}` : "";
          seen.add(name);
          startFaults.delete(name);
          row("ok", name, `running${again} ${out.paint("off", `after ${(event.afterMs / 1_000).toFixed(1)} s`)}`);
          break;
        }
        case "exited":
          exitReasons.set(name, event.reason);
          row("danger", name, `${event.reason} (process ${event.pid})`);
          break;
        case "restarting": {
          const { reason } = event;
          // Why a running process ended was shown when it ended; here is why it did not start.
          const isStartFault = reason !== undefined && reason !== exitReasons.get(name);
          exitReasons.delete(name);
          if (isStartFault) {
            // It may be tried every 30 s for hours.
            if (startFaults.get(name) === reason) break;
            startFaults.set(name, reason);
            row("danger", name, reason);
          }
          row("warn", name, event.inMs === 0 ? "restarting" : `restarting in ${(event.inMs / 1_000).toFixed(1)} s`);
          break;
        }
        case "failed":
          // Only the gateway, while its automatic restart is off.
          row("danger", name, `${event.reason}. See its log. Start it with: backplane gateway start`);
          break;
        case "stopped":
          row("off", name, "stopped");
          break;
      }
    },
  };
}

/** The message of a JSON log line of level warn or higher. Lines that are not JSON, such as crashes, are returned unchanged. */
export function warningIn(line: string): string | undefined {
  try {
    const { level, msg, err } = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } };
    if (level !== "warn" && level !== "error" && level !== "fatal") return undefined;
    return err?.message ? `${msg}: ${err.message}` : msg;
  } catch {
    return line;
  }
}
