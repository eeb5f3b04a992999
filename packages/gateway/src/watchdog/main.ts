import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { join } from "node:path";
import { CHECK_INTERVAL_MS, FAILURES_BEFORE_RESTART, FIRST_CHECK_AFTER_MS } from "@backplane/contract/gateway";
import { createMetricsCheck, readOrMakeToken } from "@backplane/kit/http";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { runProcess, StartFault, serve } from "@backplane/kit/process";
import { localUrl } from "@backplane/kit/settings";
import { claimHome, isParentMessage, openLogFile, programFile, releaseHome, supervise } from "@backplane/kit/supervise";
import { guardWatchdog } from "./access.ts";
import { createJournal } from "./journal.ts";
import { serveWatchdogPage } from "./page/page.ts";
import { serveWatchdog } from "./routes.ts";
import { takeSnapshot } from "./snapshot.ts";
import { watchGateway } from "./watch.ts";
import { durationInWords } from "./words.ts";

/** Shorter than the deadline of this process, so that it can still kill a gateway that does not stop. */
const GATEWAY_STOP_DEADLINE_MS = 3_000;

await runProcess("watchdog", process, async (context) => {
  const { settings, log, tellParent } = context;
  // Below `backplane up`, which has claimed it, there is a parent.
  const isAlone = process.send === undefined;
  const isTaken = isAlone ? claimHome(settings.home, process.pid) : undefined;
  if (isTaken !== undefined) throw new StartFault(isTaken);
  const token = readOrMakeToken(join(settings.home, "watchdog-token"), "watchdog", randomBytes);
  const gatewayLog = openLogFile(join(settings.logsFolder, "gateway.log"));
  const journal = createJournal(Date.now);
  const gateway = supervise({
    name: "gateway",
    program: programFile("gateway"),
    environment: process.env,
    pidFile: join(settings.home, "run", "gateway.pid"),
    now: Date.now,
    random: Math.random,
    limits: {
      stopDeadlineMs: GATEWAY_STOP_DEADLINE_MS + settings.drainDelayMs,
      replaceDeadlineMs: GATEWAY_STOP_DEADLINE_MS,
    },
    mayRestart: () => watch.autoRestart(),
    onLine(line) {
      gatewayLog.write(line);
      journal.line(line);
      // Passed on unchanged: the parent process decides what to show.
      tellParent({ type: "line", name: "gateway", line });
    },
    onEvent(event) {
      log.info({ gateway: event }, "gateway");
      journal.child(event);
      tellParent({ type: "child", name: "gateway", event });
      watch.follow(event);
      if (event.type !== "running") return;
      poller.refresh();
      firstCheck = setTimeout(check, FIRST_CHECK_AFTER_MS);
    },
  });
  const watch = watchGateway({
    gateway,
    healthUrl: `${localUrl(settings.host, settings.gatewayPort)}/health`,
    fetch: plainFetch,
    now: Date.now,
    onFailure(error, count) {
      log.warn(`gateway check failed (${count} of ${FAILURES_BEFORE_RESTART}): ${error}`);
      journal.note(`Check failed: ${error}`);
    },
    onAnswer: (afterMs) => journal.note(`Gateway responds again, ${durationInWords(afterMs)} after the first failure`),
    onRestart: journal.isDown,
  });
  process.on("message", (message) => {
    if (isParentMessage(message)) gateway.tell(message);
  });
  const check = () => void watch.check();
  const poller = setInterval(check, CHECK_INTERVAL_MS);
  let firstCheck: NodeJS.Timeout | undefined;
  const stopChecking = () => {
    clearInterval(poller);
    clearTimeout(firstCheck);
  };
  await gateway.start().catch((error: Error) => {
    stopChecking();
    if (isAlone) releaseHome(settings.home, process.pid);
    throw new StartFault(error.message);
  });
  const snapshot = () => takeSnapshot(watch, journal, Date.now());
  const port = settings.watchdogPort;
  return serve(context, {
    port,
    url: `http://localhost:${port}`,
    isGuarded: true,
    addRoutes(app) {
      guardWatchdog(app, { token, port, homeUrl: settings.baseUrl, mayReadMetrics: createMetricsCheck(settings) });
      serveWatchdog(app, { gateway, watch, journal, snapshot });
      serveWatchdogPage(app, {
        now: Date.now,
        snapshot,
        output: journal.output,
        address: `${isIP(settings.host) === 6 ? `[${settings.host}]` : settings.host}:${port}`,
        homeUrl: settings.baseUrl,
      });
    },
    // Not awaited: stopping the gateway in parallel answers a running command and keeps within the shutdown deadline.
    async drain() {
      stopChecking();
      void gateway.stop();
    },
    async close() {
      await gateway.stop();
      await gatewayLog.close();
      if (isAlone) releaseHome(settings.home, process.pid);
    },
  });
});
