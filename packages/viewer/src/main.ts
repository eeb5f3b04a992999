import { runProcess } from "@backplane/kit/process";
import { serveViewerProcess } from "./serve-viewer-process.ts";

await runProcess("viewer", process, async (context) => {
  const { viewerPort: port, drainDelayMs } = context.settings;
  return serveViewerProcess({ ...context, apiKey: undefined, fetch }, { port, drainDelayMs });
});
