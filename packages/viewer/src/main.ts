import { servePlannedPage } from "@backplane/kit/page";
import { runProcess, serve } from "@backplane/kit/process";

await runProcess("viewer", process, async (context) => {
  const { settings } = context;
  return serve(context, {
    port: settings.viewerPort,
    url: `http://localhost:${settings.viewerPort}`,
    addRoutes: (app) =>
      servePlannedPage(app, {
        process: "viewer",
        homeUrl: settings.baseUrl,
        purpose:
          "Paste a screenshot; it is resized, compressed, named for what it shows and saved beside its original.",
        promises: [
          "GET /screenshot-paste: the page to paste into",
          "Two files a paste, never overwritten: the optimised one and the original",
          "/mcp: the same, offered to AI clients",
        ],
      }),
  });
});
