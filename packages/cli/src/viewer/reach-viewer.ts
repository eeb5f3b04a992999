import { createLog, type Log } from "@backplane/kit/log";
import type { Settings } from "@backplane/kit/settings";
import { findViewer, openViewer, type ViewerAccess } from "@backplane/viewer";
import { environmentToken } from "../login/with-session.ts";

export type Reached = AsyncDisposable & {
  access: ViewerAccess;
  /** Undefined: nobody serves the page; the folder was opened for this command alone. */
  url: string | undefined;
};

/** Whoever keeps the project's screenshots now; nobody: this process, until it is done. */
export async function reachViewer(host: NodeJS.Process, settings: Settings): Promise<Reached> {
  const found = await findViewer(settings.viewerProject, fetch);
  if (found) return { ...found, [Symbol.asyncDispose]: async () => {} };
  const viewer = await openViewer({ ...own(host, settings), url: settings.viewerUrl });
  return { access: viewer.access, url: undefined, [Symbol.asyncDispose]: () => viewer.close() };
}

/** What a viewer inside a command is made of. Its log goes where it does not mix with answers. */
export const own = (host: NodeJS.Process, settings: Settings) => ({
  settings,
  apiKey: environmentToken(host),
  log: commandLog(host),
  fetch,
});

const commandLog = (host: NodeJS.Process): Log =>
  createLog({ process: "viewer", level: "warn", destination: host.stderr });
