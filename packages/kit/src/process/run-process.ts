import { flushCompileCache } from "node:module";
import { EXIT } from "@backplane/contract/problems";
import { createLog, type Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import type { Part } from "../parts.ts";
import { scrub } from "../scrub.ts";
import { settingWarnings } from "../setting-warnings.ts";
import { loadSettings, type Settings, SettingsFault } from "../settings.ts";
import { drainTimeMs, STOP_DEADLINE_MS } from "./limits.ts";
import { isParentMessage, type ProcessMessage } from "./messages.ts";
import { openOutput } from "./output.ts";
import { portInUse } from "./port-in-use.ts";

/** Node writes its compile cache this long after the start, if it has a folder for it. */
const COMPILE_CACHE_AFTER_MS = 1_000;
/** How long a process has had next to nothing to do before it collects its garbage. */
const IDLE_MS = 5_000;
const IDLE_UTILIZATION = 0.05;

export type ProcessContext = {
  settings: Settings;
  log: Log;
  metrics: Metrics;
  /** True once the process has been told to stop: no new traffic, please. */
  isDraining: () => boolean;
  tellParent: (message: ProcessMessage) => void;
  /** Processes of the same `backplane up` that are not running, as it last told. */
  processesDown: () => readonly string[];
};

export type Started = {
  url: string;
  /** Sent to the parent with "ready". */
  facts?: Readonly<Record<string, unknown>>;
  /** Ends everything, in order; in-flight work first. */
  stop: () => Promise<void>;
};

/** An expected reason not to start, as a sentence for people. */
export class StartFault extends Error {
  override name = "StartFault";
}

/**
 * Runs a server process: reads the settings, starts, reports "ready" to the parent, and at SIGTERM, SIGINT or the end of
 * the parent drains, stops and exits. Without a parent it runs alone, for a terminal or a service manager. `host` is the real `process`: only a program's main passes it.
 */
export async function runProcess(
  name: Part,
  host: NodeJS.Process,
  start: (context: ProcessContext) => Promise<Started>,
): Promise<void> {
  // Databases, credentials and logs are for their owner only.
  host.umask(0o077);
  const output = openOutput(host);
  const isAlone = host.send === undefined;
  const tellParent = (message: ProcessMessage) => {
    if (host.connected) host.send?.(message);
    // What a child of its own prints.
    else if (isAlone && message.type === "line") output.write(`${message.line}\n`);
  };
  const giveUp = (code: number, why: string) => {
    const sentence = scrub(why);
    tellParent({ type: "failed", sentence });
    host.stderr.write(`${sentence}\n`, () => host.exit(code));
  };

  let settings: Settings;
  try {
    ({ settings } = loadSettings(host.env, host.cwd()));
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    return giveUp(EXIT.usage, fault.message);
  }

  // Whatever reads our output may be gone; that must not keep this process from ending. (pino's own writer would retry forever.)
  for (const stream of [host.stdout, host.stderr]) stream.on("error", () => {});
  const log = createLog({ process: name, level: settings.logLevel, destination: output });
  if (isAlone) for (const { sentence } of settingWarnings(settings, name)) log.warn(sentence);
  host.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught");
    giveUp(EXIT.failed, `${name} failed: ${error.message}`);
  });

  let draining = false;
  let starting: Promise<Started> | undefined;
  const stop = async (why: string) => {
    if (draining) return;
    draining = true;
    log.info({ why }, "stopping");
    const deadline = setTimeout(() => {
      log.error("did not stop in time");
      host.exit(EXIT.failed);
    }, STOP_DEADLINE_MS + drainTimeMs(settings));
    try {
      // A stop during the start: wait until the start is complete, then stop.
      await (await starting?.catch(() => undefined))?.stop();
      log.info("stopped");
      host.exitCode = EXIT.done;
    } catch (error) {
      log.error({ err: error }, "failed to stop cleanly");
      host.exitCode = EXIT.failed;
    }
    clearTimeout(deadline);
    host.exit();
  };
  host.on("SIGTERM", () => stop("SIGTERM"));
  host.on("SIGINT", () => stop("SIGINT"));
  // The channel closes however the parent ends, also by SIGKILL.
  if (host.connected) host.once("disconnect", () => stop("the parent has ended"));

  let down: readonly string[] = [];
  host.on("message", (message) => {
    if (isParentMessage(message)) down = message.names;
  });

  starting = start({
    ...{ settings, log, metrics: createMetrics(name), tellParent },
    isDraining: () => draining,
    processesDown: () => down,
  });
  try {
    const { url, facts = {} } = await starting;
    if (draining) return;
    log.info({ url }, "ready");
    tellParent({ type: "ready", url, facts });
    // Written now, because writing it at exit would take up to two seconds.
    setTimeout(flushCompileCache, COMPILE_CACHE_AFTER_MS).unref();
    collectWhenIdle();
  } catch (error) {
    log.error({ err: error }, "did not start");
    giveUp(EXIT.failed, startSentence(name, error));
  }
}

/**
 * A start leaves garbage that V8 would keep for as long as nothing happens: 10 MB of the gateway's 40. Once, and not while there is
 * work. The flavour "last-resort" would free more, but also what V8 has learnt of the code: a poll then took a tenth more.
 */
function collectWhenIdle(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_UTILIZATION) return;
    clearInterval(timer);
    globalThis.gc?.({ type: "major" });
  }, IDLE_MS).unref();
}

function startSentence(name: string, error: unknown): string {
  if (error instanceof StartFault) return error.message;
  const { code, port } = error as { code?: string; port?: number };
  if (code === "EADDRINUSE") return portInUse(name, port ?? 0);
  return `${name} did not start: ${(error as Error).message}`;
}
