import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { openTerminal, type Terminal, table } from "../terminal.ts";
import { GATEWAY_EXIT } from "./exit-codes.ts";
import { factsOf, headOf, nextStepOf } from "./facts.ts";
import { openWatchdog, type Refused, report } from "./open-watchdog.ts";
import { painted } from "./spans.ts";
import type { WatchdogClient } from "./watchdog-client.ts";

type Options = { json: boolean };

/** `backplane gateway status`. Returns the exit code: 0 only when the gateway runs. */
export function printStatus(host: NodeJS.Process, { json }: Options): Promise<number> {
  return withWatchdog(host, json, async (watchdog, out) => {
    const answer = await (json ? watchdog.status() : watchdog.snapshot());
    if (answer.kind !== "answer") return answer;
    if (json) printJson(host, answer.body);
    else show(out, answer.body as WatchdogSnapshot, [["Page", watchdog.url]]);
    return answer.body.gateway.state === "running" ? GATEWAY_EXIT.ok : GATEWAY_EXIT.notRunning;
  });
}

/** `backplane gateway start`, `stop` and `restart`: says how the gateway is when it is done. */
export function runCommand(
  host: NodeJS.Process,
  name: "start" | "stop" | "restart",
  { json }: Options,
): Promise<number> {
  return withWatchdog(host, json, async (watchdog, out) => {
    const done = await watchdog.command(name);
    if (done.kind !== "answer") return done;
    if (json) printJson(host, done.body);
    else {
      const answer = await watchdog.snapshot();
      if (answer.kind !== "answer") return answer;
      show(out, answer.body);
    }
    // Another command may have come between: the state tells whether this one is what holds.
    const wanted = name === "stop" ? "stopped" : "running";
    return done.body.gateway.state === wanted ? GATEWAY_EXIT.ok : GATEWAY_EXIT.notRunning;
  });
}

function show(out: Terminal, snapshot: WatchdogSnapshot, more?: string[][]): void {
  for (const spans of headOf(snapshot)) out.line(painted(spans, out.paint));
  const facts = more ? [...factsOf(snapshot), ...more] : [];
  for (const line of table(facts)) out.line(line);
  const next = nextStepOf(snapshot);
  if (next) out.line(`  ${next}`);
}

const printJson = (host: NodeJS.Process, body: unknown) => host.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);

async function withWatchdog(
  host: NodeJS.Process,
  json: boolean,
  use: (watchdog: WatchdogClient, out: Terminal) => Promise<number | Refused>,
): Promise<number> {
  const watchdog = openWatchdog(host, json);
  if (watchdog === undefined) return GATEWAY_EXIT.badSettings;
  const result = await use(watchdog, openTerminal(host.stdout));
  if (typeof result === "number") return result;
  return report(host, json, result);
}
