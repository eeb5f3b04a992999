import { setTimeout as sleep } from "node:timers/promises";
import { EXIT } from "@backplane/contract/problems";
import type { Settings } from "@backplane/kit/settings";
import { serveMcpOverStdio } from "@backplane/viewer";
import { findViewer, type ViewerAccess } from "@backplane/viewer/client";
import { runCommand } from "../run.ts";
import { type OwnViewer, serveOwnViewer } from "./own-viewer.ts";
import { type ViewerFlags, viewerSettings } from "./with-viewer.ts";

/** How long the viewer that asked for the project has to open it, before this process takes it back. */
const SUCCESSOR_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 100;

/** `backplane viewer mcp`: until the client closes standard input, or Ctrl-C. */
export const serveMcp = (host: NodeJS.Process, options: ViewerFlags): Promise<number> =>
  runCommand(host, { ...options, json: false }, async ({ signal }) => {
    const settings = viewerSettings(host, options);
    await using viewers = findOrServe(host, settings);
    await viewers.reach();
    await serveMcpOverStdio(reachEachTime(settings.viewerProject, viewers.reach), {
      stdin: host.stdin,
      stdout: host.stdout,
      signal,
    });
    return signal.aborted ? EXIT.interrupted : EXIT.done;
  });

/** The viewer that runs for the project, or else one inside this process. */
function findOrServe(host: NodeJS.Process, settings: Settings): AsyncDisposable & { reach(): Promise<Reachable> } {
  let mine: OwnViewer | undefined;
  let successorUntilMs = 0;
  let reaching: Promise<Reachable> | undefined;
  const find = async (): Promise<Reachable> => {
    // A viewer that is giving way accepts no more requests.
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
  return {
    // Concurrent calls must not start two.
    reach() {
      reaching ??= find().finally(() => {
        reaching = undefined;
      });
      return reaching;
    },
    async [Symbol.asyncDispose]() {
      await mine?.[Symbol.asyncDispose]();
    },
  };
}

/** `ended` aborts when this viewer no longer serves the project: calls that wait there must start again. */
export type Reachable = { access: ViewerAccess; ended?: AbortSignal };

/** Finds the viewer of the project again for each call: viewers may come and go while an AI client stays connected. */
export function reachEachTime(project: string, find: () => Promise<Reachable>): ViewerAccess {
  const reach = async (): Promise<ViewerAccess> => (await find()).access;

  const next: ViewerAccess["next"] = async (signal, { onWaiting } = {}) => {
    const before = (await (await reach()).newest())?.id ?? "";
    let after: string | undefined;
    for (;;) {
      const { access, ended } = await find();
      try {
        const either = ended ? AbortSignal.any([signal, ended]) : signal;
        return await access.next(either, after === undefined && onWaiting ? { onWaiting } : { after });
      } catch (error) {
        if (signal.aborted || !ended?.aborted) throw error;
        // Another viewer serves the project now: what was pasted while none was connected is new, too.
        after = before;
      }
    }
  };

  return {
    project,
    openWidget: async (title) => (await reach()).openWidget(title),
    newest: async () => (await reach()).newest(),
    get: async (id) => (await reach()).get(id),
    list: async (limit) => (await reach()).list(limit),
    search: async (query, limit) => (await reach()).search(query, limit),
    rename: async (id, name, by) => (await reach()).rename(id, name, by),
    next,
    named: async (id, signal) => (await reach()).named(id, signal),
    readFile: async (id, file) => (await reach()).readFile(id, file),
    paste: async (image, title) => (await reach()).paste(image, title),
  };
}
