import { setTimeout as sleep } from "node:timers/promises";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { EXIT } from "@backplane/contract/problems";
import { runCommand } from "../run.ts";
import { type Terminal, table } from "../terminal.ts";
import { factsOf, headOf, nextStepOf } from "./facts.ts";
import { painted, showScreen } from "./screen.ts";
import { showChanges } from "./show-changes.ts";
import { openWatchdog } from "./watchdog.ts";

type Options = { json?: boolean };

/** `backplane gateway status`. The exit code is 0 only when the gateway is running. */
export const printStatus = (host: NodeJS.Process, options: Options): Promise<number> =>
  runCommand(host, options, async ({ json, out }) => {
    const watchdog = openWatchdog(host);
    const answer = await (json ? watchdog.status() : watchdog.snapshot());
    if (answer.kind !== "answer") return answer.refusal;
    if (json) printJson(host, answer.body);
    else show(out, answer.body as WatchdogSnapshot, [["Page", watchdog.url]]);
    return answer.body.gateway.state === "running" ? EXIT.done : EXIT.failed;
  });

/** `backplane gateway start`, `stop` and `restart`: prints the state of the gateway afterwards. */
export const controlGateway = (
  host: NodeJS.Process,
  name: "start" | "stop" | "restart",
  options: Options,
): Promise<number> =>
  runCommand(host, options, async ({ json, out }) => {
    const watchdog = openWatchdog(host);
    const done = await watchdog.command(name);
    if (done.kind !== "answer") return done.refusal;
    if (json) printJson(host, done.body);
    else {
      const answer = await watchdog.snapshot();
      if (answer.kind !== "answer") return answer.refusal;
      show(out, answer.body);
    }
    // Another command may have come in between: the state tells whether this one took effect.
    const wanted = name === "stop" ? "stopped" : "running";
    return done.body.gateway.state === wanted ? EXIT.done : EXIT.failed;
  });

function show(out: Terminal, snapshot: WatchdogSnapshot, more?: string[][]): void {
  for (const spans of headOf(snapshot)) out.line(painted(spans, out.paint));
  const facts = more ? [...factsOf(snapshot), ...more] : [];
  for (const line of table(facts)) out.line(line);
  const next = nextStepOf(snapshot);
  if (next) out.hint(`  ${next}`);
}

const printJson = (host: NodeJS.Process, body: unknown) => host.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);

const EVERY_MS = 1_000;

/** `backplane gateway watch`: until Ctrl-C, which is not a failure. */
export const watchGateway = (host: NodeJS.Process, options: Options): Promise<number> =>
  runCommand(host, options, async ({ json, signal }) => {
    const watchdog = openWatchdog(host);
    const first = await watchdog.snapshot();
    if (first.kind !== "answer") return first.refusal;

    const closed = new AbortController();
    // A reader that has seen enough, such as head.
    host.stdout.once("error", () => closed.abort());
    const stop = AbortSignal.any([signal, closed.signal]);
    const view = host.stdout.isTTY && !json ? showScreen(host.stdout, watchdog.url) : showChanges(host.stdout, json);
    let goneSince: Date | undefined;
    try {
      for (let answer: Awaited<ReturnType<typeof watchdog.snapshot>> = first; !stop.aborted; ) {
        goneSince = answer.kind === "answer" ? undefined : (goneSince ?? new Date());
        if (answer.kind === "answer") view.seen(answer.body);
        else if (goneSince) view.gone(goneSince);
        await sleep(EVERY_MS, undefined, { signal: stop }).catch(() => {});
        if (!stop.aborted) answer = await watchdog.snapshot();
      }
    } finally {
      view.close();
    }
    return undefined;
  });
