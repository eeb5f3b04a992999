import { setTimeout as sleep } from "node:timers/promises";
import { findViewer, serveMcpOverStdio } from "@backplane/viewer";
import { CONNECT_EXIT, isRefusal, tell } from "../connect/refusal.ts";
import { toldToStop } from "../connect/told-to-stop.ts";
import { type OwnViewer, serveOwnViewer } from "./own-viewer.ts";
import { type Reachable, reachEachTime } from "./reach-each-time.ts";
import { type ViewerFlags, viewerSettings } from "./settings.ts";
import { telling } from "./with-viewer.ts";

/** Who asked for the project is opening it now: taking it back meanwhile would be in its way. */
const SUCCESSOR_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/** `backplane viewer mcp`: until the client closes standard input, or Ctrl-C. */
export async function serveMcp(host: NodeJS.Process, options: ViewerFlags): Promise<number> {
  const settings = viewerSettings(host, options);
  if (isRefusal(settings)) return tell(host, false, settings);
  using told = toldToStop(host);
  let mine: OwnViewer | undefined;
  let successorUntilMs = 0;
  let reaching: Promise<Reachable> | undefined;
  const find = async (): Promise<Reachable> => {
    // One that gives way is asked for nothing any more.
    if (mine?.ending.aborted) await mine.ended;
    if (mine) return { access: mine.access, ended: mine.ending };
    for (;;) {
      const running = await findViewer(settings.viewerProject, fetch);
      if (running) return running;
      if (Date.now() >= successorUntilMs) break;
      await sleep(LOOK_AGAIN_MS);
    }
    const own = await serveOwnViewer(host, settings, "any");
    mine = own;
    own.ended.then(() => {
      mine = undefined;
      successorUntilMs = Date.now() + SUCCESSOR_WITHIN_MS;
    });
    return { access: own.access, ended: own.ending };
  };
  // Calls that come at once must not start two.
  const reach = (): Promise<Reachable> => {
    reaching ??= find().finally(() => {
      reaching = undefined;
    });
    return reaching;
  };
  const result = await telling(async () => {
    await reach();
    await serveMcpOverStdio(reachEachTime(settings.viewerProject, reach), {
      stdin: host.stdin,
      stdout: host.stdout,
      signal: told.signal,
    });
    return told.signal.aborted ? told.exitCode() : CONNECT_EXIT.ok;
  });
  await mine?.[Symbol.asyncDispose]();
  return typeof result === "number" ? result : tell(host, false, result);
}
