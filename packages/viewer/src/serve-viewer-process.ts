import { Problem } from "@backplane/kit/problems";
import { type ProcessContext, type Started, StartFault, serve } from "@backplane/kit/process";
import type { ViewerAccess } from "./services.ts";
import { openViewer, type ViewerOptions } from "./viewer.ts";

type Context = ProcessContext & Pick<ViewerOptions, "apiKey" | "fetch">;
type ServeOptions = { port: number; drainDelayMs?: number; onAskedToYield?: () => Promise<void> };

/** The viewer as an HTTP server, in its own process or inside a command. */
export async function serveViewerProcess(
  context: Context,
  { port, drainDelayMs = 0, onAskedToYield }: ServeOptions,
): Promise<Started & { access: ViewerAccess }> {
  const { settings, log, metrics, apiKey, fetch } = context;
  const url = port === settings.viewerPort ? settings.viewerUrl : `http://localhost:${port}`;
  const viewer = await openViewer({ settings, url, apiKey, log, fetch, metrics }).catch((error) => {
    throw error instanceof Problem ? new StartFault(error.message) : error;
  });
  const announced = Promise.withResolvers<void>();
  const started = await serve(context, {
    port,
    url,
    isGuarded: true,
    drainDelayMs,
    // Whoever was told that it is ready finds it.
    checks: { announced: () => announced.promise },
    answerFirst: viewer.answerFirst,
    addRoutes: (app) => viewer.addRoutes(app, onAskedToYield),
    close: () => viewer.close(),
  });
  await viewer.announce(port).then(announced.resolve, async (error) => {
    await started.stop();
    throw error instanceof Problem ? new StartFault(error.message) : error;
  });
  return { ...started, access: viewer.access };
}
