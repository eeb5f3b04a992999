import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { servePlannedPage } from "@backplane/kit/page";
import { openLogFile, runProcess, StartFault, serve, supervise } from "@backplane/kit/process";
import { localUrl } from "@backplane/kit/settings";
import { FAILURES_BEFORE_RESTART, POLL_INTERVAL_MS, WatchdogStatus } from "./contract.ts";
import { watchGateway } from "./watch.ts";

/** Less than this process itself has: a gateway that does not end is killed while there is still somebody to do it. */
const GATEWAY_STOP_DEADLINE_MS = 3_000;

const GATEWAY_PROGRAM = fileURLToPath(new URL("../gateway/main.ts", import.meta.url));

await runProcess("watchdog", process, async (context) => {
  const { settings, log, tellParent } = context;
  const gatewayLog = openLogFile(join(settings.home, "logs", "gateway.log"));
  const gateway = supervise({
    name: "gateway",
    program: GATEWAY_PROGRAM,
    environment: process.env,
    pidFile: join(settings.home, "run", "gateway.pid"),
    now: Date.now,
    random: Math.random,
    limits: { stopDeadlineMs: GATEWAY_STOP_DEADLINE_MS },
    onLine(line) {
      gatewayLog.write(line);
      // Passed on as it is: whoever shows our output decides what a person should see of it.
      tellParent({ type: "line", name: "gateway", line });
    },
    onEvent(event) {
      log.info({ gateway: event }, "gateway");
      tellParent({ type: "child", name: "gateway", event });
    },
  });
  const watch = watchGateway({
    gateway,
    healthUrl: `${localUrl(settings.host, settings.gatewayPort)}/health`,
    fetch,
    now: Date.now,
    onFailure: (error, count) =>
      log.warn(`the gateway fails its check, ${count} of ${FAILURES_BEFORE_RESTART}: ${error}`),
    onRestart: (reason) => log.warn(`restarting the gateway after ${reason}`),
  });
  await gateway.start().catch((error: Error) => {
    throw new StartFault(error.message);
  });
  const poller = setInterval(() => void watch.check(), POLL_INTERVAL_MS);
  return serve(context, {
    port: settings.watchdogPort,
    url: `http://localhost:${settings.watchdogPort}`,
    addRoutes(app) {
      app.get("/status", { schema: { response: { 200: WatchdogStatus } } }, async () => watch.status());
      servePlannedPage(app, {
        process: "watchdog",
        homeUrl: settings.baseUrl,
        title: "This page is not built yet",
        purpose: "The watchdog itself works: it keeps the gateway running, and GET /status tells how it is.",
        promises: [
          "The last ten minutes of checks, one pin each",
          "Start, stop and restart",
          "What happened, and when",
        ],
      });
    },
    async close() {
      clearInterval(poller);
      await gateway.stop();
      await gatewayLog.close();
    },
  });
});
