import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type App, createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { supervise } from "@backplane/kit/supervise";
import { createJournal } from "./journal.ts";
import { serveWatchdogPage } from "./page/page.ts";
import { serveWatchdog } from "./routes.ts";
import { takeSnapshot } from "./snapshot.ts";
import { watchGateway } from "./watch.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/gateway.ts", import.meta.url));

/** An app on a free port, as every process has it. */
export async function serveForTest(t: TestContext, addRoutes: (app: App) => void, trustProxy: string[] = []) {
  const lines: string[] = [];
  const app = await createApp({
    log: createLog({ process: "watchdog", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("watchdog"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy,
    overHttps: false,
  });
  addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { app, lines, port, url: `http://127.0.0.1:${port}` };
}

/** The watchdog with all of its parts, around a real process that does nothing. */
export async function startWatchdog(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "watchdog-"));
  const obstacle = join(folder, "obstacle");
  const journal = createJournal(Date.now);
  const gateway = supervise({
    name: "gateway",
    program: PROGRAM,
    environment: { ...process.env, OBSTACLE: obstacle },
    pidFile: join(folder, "gateway.pid"),
    now: Date.now,
    random: () => 0.5,
    mayRestart: () => watch.autoRestart(),
    onLine: journal.line,
    onEvent(event) {
      journal.child(event);
      watch.follow(event);
    },
  });
  const watch = watchGateway({
    gateway,
    healthUrl: "http://127.0.0.1:1/health",
    fetch,
    now: Date.now,
    onFailure: () => {},
    onAnswer: () => {},
    onRestart: journal.isDown,
  });
  t.after(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });
  const snapshot = () => takeSnapshot(watch, journal, Date.now());
  const served = await serveForTest(t, (app) => {
    serveWatchdog(app, { gateway, watch, journal, snapshot });
    serveWatchdogPage(app, { now: Date.now, snapshot, output: journal.output, address: "here:1", homeUrl: "/home" });
  });
  return {
    ...served,
    gateway,
    journal,
    block: () => writeFileSync(obstacle, ""),
    unblock: () => rmSync(obstacle),
    snapshot,
  };
}
