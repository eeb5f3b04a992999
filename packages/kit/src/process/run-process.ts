import { flushCompileCache } from "node:module";
import { EXIT } from "@backplane/contract/problems";
import { createLog, type Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { scrub } from "../scrub.ts";
import { loadSettings, type Settings, SettingsFault } from "../settings.ts";
import type { ProcessMessage } from "./messages.ts";

/** Told to stop, a process has this long; whoever started it waits a little longer before it is killed. */
export const STOP_DEADLINE_MS = 4_000;

/** When a start has settled, Node writes what it compiled to the cache folder, if it was given one. */
const COMPILE_CACHE_AFTER_MS = 1_000;

export type ProcessContext = {
  settings: Settings;
  log: Log;
  metrics: Metrics;
  /** True from the moment the process was told to stop. */
  isDraining: () => boolean;
  tellParent: (message: ProcessMessage) => void;
};

export type Started = {
  url: string;
  /** Told to the parent with "ready". */
  facts?: Readonly<Record<string, unknown>>;
  /** Ends everything, in order; in-flight work first. */
  stop: () => Promise<void>;
};

/** An expected reason not to start, as the sentence a person reads. */
export class StartFault extends Error {
  override name = "StartFault";
}

/**
 * The life of a server process: settings, start, "ready" to the parent, then until SIGTERM, SIGINT or the end of the
 * parent; drain, stop, exit. `host` is the real `process`: only a program's main hands it over.
 */
export async function runProcess(
  name: string,
  host: NodeJS.Process,
  start: (context: ProcessContext) => Promise<Started>,
): Promise<void> {
  // What a process writes is for its owner: databases, credentials, logs.
  host.umask(0o077);
  const tellParent = (message: ProcessMessage) => {
    if (host.connected) host.send?.(message);
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

  // Whoever read our output may be gone; that must not keep this process from ending. (pino's own writer would retry for ever.)
  for (const stream of [host.stdout, host.stderr]) stream.on("error", () => {});
  const log = createLog({ process: name, level: settings.logLevel, destination: host.stdout });
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
    }, STOP_DEADLINE_MS);
    try {
      // Told in the middle of starting: what is half made has no handle yet, so let it get ready and then end it.
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
  // However the parent ended, also by SIGKILL, its end of the channel closes.
  if (host.connected) host.once("disconnect", () => stop("the parent has ended"));

  starting = start({ settings, log, metrics: createMetrics(name), isDraining: () => draining, tellParent });
  try {
    const { url, facts = {} } = await starting;
    if (draining) return;
    log.info({ url }, "ready");
    tellParent({ type: "ready", url, facts });
    // Kept now rather than at the exit, which it would delay by up to two seconds.
    setTimeout(flushCompileCache, COMPILE_CACHE_AFTER_MS).unref();
  } catch (error) {
    log.error({ err: error }, "did not start");
    giveUp(EXIT.failed, startSentence(name, error));
  }
}

function startSentence(name: string, error: unknown): string {
  if (error instanceof StartFault) return error.message;
  const { code, port } = error as { code?: string; port?: number };
  if (code === "EADDRINUSE") return portInUse(name, port ?? 0);
  return `${name} did not start: ${(error as Error).message}`;
}

/** The sentence for the commonest of all reasons; `backplane up` says the same before it starts anything. */
export const portInUse = (name: string, port: number): string =>
  `Port ${port} is in use by another program. Stop that one, or set ${name.toUpperCase()}_PORT to another port.`;
