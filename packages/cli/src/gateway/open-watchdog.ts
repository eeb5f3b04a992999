import { loadSettings, SettingsFault } from "@backplane/kit/settings";
import { openTerminal, SHAPES } from "../terminal.ts";
import { GATEWAY_EXIT } from "./exit-codes.ts";
import { type Answer, createWatchdogClient, type WatchdogClient } from "./watchdog-client.ts";

export type Refused = Exclude<Answer<never>, { kind: "answer" }>;

/** The watchdog of the settings here; nothing when these are wrong, which is then said. */
export function openWatchdog(host: NodeJS.Process, json: boolean): WatchdogClient | undefined {
  try {
    return createWatchdogClient(loadSettings(host.env, host.cwd()).settings, fetch);
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    tell(host, json, "bad-settings", fault.message);
    return undefined;
  }
}

/** What went wrong, as its exit code. */
export function report(host: NodeJS.Process, json: boolean, refused: Refused): number {
  if (refused.kind === "unreachable") {
    tell(host, json, "watchdog-unreachable", refused.sentence);
    return GATEWAY_EXIT.unreachable;
  }
  tell(host, json, refused.code, `${refused.title}. ${refused.detail}`.trim());
  return GATEWAY_EXIT.notRunning;
}

/** For people to standard error, for programs as JSON where they read. */
function tell(host: NodeJS.Process, json: boolean, code: string, message: string): void {
  if (json) {
    host.stdout.write(`${JSON.stringify({ error: { code, message } }, undefined, 2)}\n`);
    return;
  }
  const err = openTerminal(host.stderr);
  const [first = "", ...others] = message.split("\n");
  err.line(`${err.paint("danger", SHAPES.danger)} ${first}`);
  for (const line of others) err.line(`  ${line}`);
}
