import { findViewer, serveMcpOverStdio, type ViewerAccess } from "@backplane/viewer";
import { CONNECT_EXIT, isRefusal, tell } from "../connect/refusal.ts";
import { toldToStop } from "../connect/told-to-stop.ts";
import { type OwnViewer, serveOwnViewer } from "./own-viewer.ts";
import { reachEachTime } from "./reach-each-time.ts";
import { type ViewerFlags, viewerSettings } from "./settings.ts";
import { telling } from "./with-viewer.ts";

/** `backplane viewer mcp`: until the client closes standard input, or Ctrl-C. */
export async function serveMcp(host: NodeJS.Process, options: ViewerFlags): Promise<number> {
  const settings = viewerSettings(host, options);
  if (isRefusal(settings)) return tell(host, false, settings);
  using told = toldToStop(host);
  let mine: OwnViewer | undefined;
  let reaching: Promise<ViewerAccess> | undefined;
  const find = async (): Promise<ViewerAccess> => {
    if (mine) return mine.access;
    const running = await findViewer(settings.viewerProject, fetch);
    if (running) return running.access;
    mine = await serveOwnViewer(host, settings);
    mine.ended.then(() => {
      mine = undefined;
    });
    return mine.access;
  };
  // Calls that come at once must not start two.
  const reach = (): Promise<ViewerAccess> => {
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
