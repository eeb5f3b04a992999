import { openBus } from "@backplane/kit/bus";
import { servePlannedPage } from "@backplane/kit/page";
import { runProcess, serve } from "@backplane/kit/process";

await runProcess("gateway", process, async (context) => {
  const { settings, log } = context;
  const bus = await openBus({
    url: settings.redisUrl,
    now: Date.now,
    onFault: (error) => log.warn({ err: error }, "bus fault"),
  });
  return serve(context, {
    port: settings.gatewayPort,
    url: settings.gatewayUrl,
    checks: { bus: () => bus.ping() },
    // Nothing can register yet, so nothing waits.
    vitals: () => ({ pending: 0 }),
    addRoutes: (app) =>
      servePlannedPage(app, {
        process: "gateway",
        homeUrl: settings.baseUrl,
        purpose: "One fixed OAuth redirect URI for any number of applications behind their own host names.",
        promises: [
          "GET /callback: takes the provider's redirect and sends the code to the application that waits for it",
          "WebSocket at / and /ws: applications register the state they wait for",
          "GET /status: how many wait, how many were delivered",
        ],
      }),
    close: () => bus.close(),
  });
});
