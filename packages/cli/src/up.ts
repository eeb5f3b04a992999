import { readFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { CHECK_INTERVAL_MS } from "@backplane/contract/gateway";
import { EXIT } from "@backplane/contract/problems";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { settingWarnings } from "@backplane/kit/setting-warnings";
import { type Environment, loadSettings, localUrl, type Settings, SettingsFault } from "@backplane/kit/settings";
import {
  type ChildEvent,
  claimHome,
  drainTimeMs,
  endLeftover,
  openLogFile,
  type ProcessMessage,
  programFile,
  RESTARTS_BEFORE_EXIT,
  releaseHome,
  SUPERVISE_LIMITS,
  type Supervised,
  supervise,
  watchHealth,
} from "@backplane/kit/supervise";
import { preflight } from "./preflight.ts";
import { leaveAddresses } from "./running.ts";
import { openTerminal } from "./terminal.ts";
import { createUpReport, type OwnerFile, type UpReport } from "./up-report.ts";

export type UpOptions = {
  /** Whether to end when a process was restarted too often, instead of trying on. */
  exitOnFailure?: boolean;
};

/** What `up` starts, all at the same time. The watchdog starts the gateway. */
const PROGRAMS = ["watchdog", "platform", "viewer"] as const;

/** Nothing else needs it, and what keeps it from starting, such as another process with the same screenshots, may pass. */
const MAY_FOLLOW_LATER = "viewer";

/** Runs everything until it is stopped. Returns the exit code. */
export async function up(host: NodeJS.Process, { exitOnFailure = false }: UpOptions): Promise<number> {
  host.umask(0o077);
  const out = openTerminal(host.stdout, host.env);
  const report = createUpReport(out, openTerminal(host.stderr, host.env), Date.now);
  const folder = host.cwd();

  let environment: Environment;
  let settings: Settings;
  try {
    ({ environment, settings } = loadSettings(host.env, folder));
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    report.faults([fault.message]);
    return EXIT.usage;
  }
  const home = shortFolder(folder, settings.home);
  const obstacles = await preflight(settings);
  if (obstacles.length > 0) {
    report.faults(obstacles);
    return EXIT.failed;
  }

  const isTaken = claimHome(settings.home, host.pid);
  if (isTaken !== undefined) {
    report.faults([isTaken]);
    return EXIT.failed;
  }
  try {
    return await run(host, {
      ...{ settings, environment, home, report, exitOnFailure },
      isInteractive: out.isInteractive,
    });
  } finally {
    releaseHome(settings.home, host.pid);
  }
}

type Run = {
  settings: Settings;
  environment: Environment;
  home: string;
  report: UpReport;
  isInteractive: boolean;
  exitOnFailure: boolean;
};

async function run(host: NodeJS.Process, options: Run): Promise<number> {
  const { settings, home, report, isInteractive, exitOnFailure } = options;
  report.starting(home);
  const stopRequested = stopRequest(host);
  const failed = Promise.withResolvers<typeof FAILED>();
  let isFirstStart = false;
  const processes = superviseAll(host, options, (name, event) => {
    if (event.type === "running" && event.facts.firstStart === true) isFirstStart = true;
    if (!exitOnFailure || event.type !== "restarting" || event.attempt <= RESTARTS_BEFORE_EXIT) return;
    report.failed(name);
    failed.resolve(FAILED);
  });

  const started = await Promise.race([processes.start(), stopRequested]);
  if (started !== STOP && started.length > 0) {
    await processes.stop();
    report.faults(started);
    return EXIT.failed;
  }
  using _left = started === STOP ? undefined : leaveAddresses(host, settings);
  if (started !== STOP) {
    report.addresses(settings, shortFolder(host.cwd(), settings.logsFolder), {
      // A file or a pipe would keep them (ADR 7).
      credentials: isFirstStart && isInteractive ? readOwner(settings) : undefined,
      path: `${home}owner.json`,
    });
    report.settingWarnings(settingWarnings(settings).map(({ sentence }) => sentence));
  }
  const why = await Promise.race([stopRequested, failed.promise]);
  report.stopping();
  await processes.stop();
  report.stopped();
  return why === FAILED ? EXIT.failed : EXIT.done;
}

type OnEvent = (name: string, event: ChildEvent) => void;

/** The three children. Each is restarted when it ends or hangs, and is told which processes are down. */
function superviseAll(host: NodeJS.Process, { settings, environment, report }: Run, onEvent: OnEvent) {
  const logs = PROGRAMS.map((name) => openLogFile(join(settings.logsFolder, `${name}.log`)));
  const down = new Set<string>();
  function follow(name: string, event: ChildEvent): void {
    report.event(name, event);
    if (event.type === "running") down.delete(name);
    else down.add(name);
    for (const child of children) child.tell({ type: "down", names: [...down] });
    onEvent(name, event);
  }
  const children: Supervised[] = PROGRAMS.map((name, index) =>
    supervise({
      name,
      program: programFile(name),
      pidFile: join(settings.home, "run", `${name}.pid`),
      environment: { ...host.env, ...environment },
      now: Date.now,
      random: Math.random,
      limits: { stopDeadlineMs: SUPERVISE_LIMITS.stopDeadlineMs + drainTimeMs(settings) },
      onEvent(event) {
        watches[index]?.reset();
        follow(name, event);
      },
      onLine(line) {
        logs[index]?.write(line);
        report.printed(name, line);
      },
      onMessage(message: ProcessMessage) {
        if (message.type === "child") follow(message.name, message.event);
        if (message.type === "line") report.printed(message.name, message.line);
      },
    }),
  );
  const watches = PROGRAMS.map((name, index) =>
    watchHealth({
      child: children[index] as Supervised,
      healthUrl: `${localUrl(settings.host, settings[`${name}Port`])}/health`,
      fetch: plainFetch,
      now: Date.now,
      onCheck(check, consecutiveFailures) {
        if (!check.ok) report.checkFailed(name, check.error, consecutiveFailures);
      },
    }),
  );
  const poller = setInterval(() => {
    for (const watch of watches) void watch.check();
  }, CHECK_INTERVAL_MS);

  return {
    /** Resolves with the reasons of those that did not start and have to. */
    async start(): Promise<string[]> {
      const starts = await Promise.allSettled(
        children.map((child, index) => {
          const keepTrying = PROGRAMS[index] === MAY_FOLLOW_LATER;
          const started = child.start({ keepTrying });
          return keepTrying ? started.catch(() => {}) : started;
        }),
      );
      const failures = starts.filter((result) => result.status === "rejected");
      return [...new Set(failures.map(({ reason }) => (reason as Error).message))];
    },
    async stop(): Promise<void> {
      clearInterval(poller);
      await Promise.all(children.map((child) => child.stop()));
      // A gateway that hangs outlives a watchdog that was killed.
      await endLeftover(join(settings.home, "run", "gateway.pid"));
      await Promise.all(logs.map((log) => log.close()));
    },
  };
}

const FAILED = Symbol("failed");
const STOP = Symbol("stop");

/** A terminal and a parent may both pass on one Ctrl-C. A signal later than this is a second Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 250;

/** Resolves on a signal or when the parent ends. A second Ctrl-C ends this process at once, and its children follow. */
function stopRequest(host: NodeJS.Process): Promise<typeof STOP> {
  const { promise, resolve } = Promise.withResolvers<typeof STOP>();
  let requestedAtMs: number | undefined;
  const stop = () => {
    const nowMs = performance.now();
    if (requestedAtMs !== undefined && nowMs - requestedAtMs > SAME_SIGNAL_MS) host.exit(EXIT.failed);
    requestedAtMs ??= nowMs;
    resolve(STOP);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) host.on(signal, stop);
  if (host.connected) {
    host.once("disconnect", stop);
    // Listening must not keep a finished program alive.
    host.channel?.unref();
  } else if (host.env.ENDS_WITH_PID === String(host.ppid)) {
    // npm forwards no signal when it is killed outright (scripts/start.mjs).
    const parent = host.ppid;
    setInterval(() => host.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  }
  return promise;
}

function readOwner({ home, ownerPassword }: Settings): OwnerFile | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(home, "owner.json"), "utf8")) as OwnerFile;
    return ownerPassword === undefined ? owner : { ...owner, password: "as you set it" };
  } catch {
    return undefined;
  }
}

/** Relative if it is inside the working folder, with a slash at the end. */
function shortFolder(folder: string, path: string): string {
  const inside = relative(folder, path);
  const shown = inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : inside;
  return `${shown}${sep}`;
}
