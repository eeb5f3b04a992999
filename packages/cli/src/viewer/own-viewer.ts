import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import { openViewer, serveViewerProcess, type Viewer } from "@backplane/viewer";
import type { ViewerAccess } from "@backplane/viewer/client";
import { environmentToken } from "../login/session.ts";

/** The dependencies of a viewer inside a command. Its log goes to standard error, away from the answers. */
const own = (host: NodeJS.Process, settings: Settings) => ({
  settings,
  apiKey: environmentToken(host),
  log: createLog({ process: "viewer", level: "warn", destination: host.stderr }),
  fetch,
});

/** A viewer inside this command that serves no page. */
export const openOwnViewer = (host: NodeJS.Process, settings: Settings): Promise<Viewer> =>
  openViewer({ ...own(host, settings), url: settings.viewerUrl });

export type OwnViewer = AsyncDisposable & {
  access: ViewerAccess;
  url: string;
  /** Another viewer took the project over, and this one has stopped. */
  ended: Promise<void>;
  /** Aborts when that begins. */
  ending: AbortSignal;
};

/**
 * A viewer inside this command, on the usual port, or on a free one if that is in use. It gives way to a viewer that runs
 * as a process. Use `any` if nobody opens its page: the usual port then stays free for other projects.
 */
export async function serveOwnViewer(
  host: NodeJS.Process,
  settings: Settings,
  port: "usual" | "any" = "usual",
): Promise<OwnViewer> {
  const ended = Promise.withResolvers<void>();
  const context = {
    ...own(host, settings),
    metrics: createMetrics("viewer"),
    isDraining: () => false,
    processesDown: () => [],
    tellParent: () => {},
  };
  const start = (port: number) => serveViewerProcess(context, { port, onAskedToYield: () => stop() });
  const first = port === "usual" ? settings.viewerPort : await freePort(settings.host);
  const served = await start(first).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    return start(await freePort(settings.host));
  });
  const ending = new AbortController();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ending.abort();
    stopping ??= served.stop().finally(ended.resolve);
    return stopping;
  };
  const { access, url } = served;
  return { access, url, ended: ended.promise, ending: ending.signal, [Symbol.asyncDispose]: stop };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
