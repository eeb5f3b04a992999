import { setTimeout as sleep } from "node:timers/promises";
import { GATEWAY_EXIT } from "./exit-codes.ts";
import { openWatchdog, report } from "./open-watchdog.ts";
import { showChanges } from "./show-changes.ts";
import { showScreen } from "./show-screen.ts";

const EVERY_MS = 1_000;

/** `backplane gateway watch`: until Ctrl-C, which is no failure. */
export async function watchGateway(host: NodeJS.Process, { json }: { json: boolean }): Promise<number> {
  const watchdog = openWatchdog(host, json);
  if (watchdog === undefined) return GATEWAY_EXIT.badSettings;
  const first = await watchdog.snapshot();
  if (first.kind !== "answer") return report(host, json, first);

  const told = toldToStop(host);
  const view = host.stdout.isTTY && !json ? showScreen(host.stdout, watchdog.url) : showChanges(host.stdout, json);
  let goneSince: Date | undefined;
  try {
    for (let answer: Awaited<ReturnType<typeof watchdog.snapshot>> = first; !told.aborted; ) {
      goneSince = answer.kind === "answer" ? undefined : (goneSince ?? new Date());
      if (answer.kind === "answer") view.seen(answer.body);
      else if (goneSince) view.gone(goneSince);
      await sleep(EVERY_MS, undefined, { signal: told }).catch(() => {});
      if (!told.aborted) answer = await watchdog.snapshot();
    }
  } finally {
    view.close();
  }
  return GATEWAY_EXIT.ok;
}

/** Ctrl-C, and a reader that has had enough (… | head). */
function toldToStop(host: NodeJS.Process): AbortSignal {
  const told = new AbortController();
  const stop = () => told.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) host.once(signal, stop);
  host.stdout.once("error", stop);
  return told.signal;
}
