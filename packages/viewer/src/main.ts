import { runProcess } from "@backplane/kit/process";
import { serveViewerProcess } from "./serve-viewer-process.ts";

await runProcess("viewer", process, async (context) =>
  serveViewerProcess({ ...context, apiKey: undefined, fetch }, { port: context.settings.viewerPort }),
);
