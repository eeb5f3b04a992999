import { existsSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "@backplane/kit/folder";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { localUrl, type Settings } from "@backplane/kit/settings";
import { portInUse } from "@backplane/kit/supervise";
import { takenByOwn } from "./taken-ports.js";

/** Why the home folder cannot be used; undefined if it can. */
export function homeFault(home: string, logs = join(home, "logs")): string | undefined {
  const isOwn = logs === join(home, "logs");
  return (
    folderFault("BACKPLANE_HOME", home) ??
    folderFault(isOwn ? "BACKPLANE_HOME" : "LOGS_FOLDER", logs, isOwn ? home : logs)
  );
}

function folderFault(name: string, folder: string, shown = folder): string | undefined {
  try {
    const trial = join(folder, `.trial-${process.pid}`);
    makePrivateFolder(folder);
    writeFileSync(trial, "");
    rmSync(trial);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      EACCES: "permission denied",
      EPERM: "permission denied",
      EROFS: "it is on a read-only disk",
      ENOENT: "part of the path cannot be created",
      ENOSPC: "the disk is full",
      ENOTDIR: "part of the path is a file",
      EEXIST: "it is a file, not a folder",
    };
    const reason = reasons[code ?? ""] ?? message;
    return `Cannot write to ${name}, ${shown}: ${reason}. Fix that, or set ${name} to another folder.`;
  }
}

/** The same, but folders that the trial made are removed again. */
export function homeFaultLeavingNothing(home: string, logs = join(home, "logs")): string | undefined {
  const missing: string[] = [];
  for (const last of [logs, home]) {
    for (let folder = last; !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  }
  const fault = homeFault(home, logs);
  try {
    for (const folder of missing) if (existsSync(folder)) rmdirSync(folder);
  } catch {
    // It is in use by now.
  }
  return fault;
}

export const portsOf = (settings: Settings): ReadonlyArray<readonly [name: string, port: number]> => [
  ["platform", settings.platformPort],
  ["gateway", settings.gatewayPort],
  ["watchdog", settings.watchdogPort],
  ["viewer", settings.viewerPort],
];

/** Why a process cannot listen on the port; undefined if it can. */
export function portFault(name: string, host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EADDRINUSE") resolve(inUse(name, host, port));
    else if (code === "EACCES")
      resolve(`Port ${port} needs root. Set ${name.toUpperCase()}_PORT to a port above 1023.`);
    else if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      resolve(`HOST ${host} is not an address of this machine. Use one that it has, or 127.0.0.1.`);
    else resolve(`Port ${port} cannot be used for ${name}: ${message}.`);
  });
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  return promise;
}

const PROBE_TIMEOUT_MS = 1_000;

async function inUse(name: string, host: string, port: number): Promise<string> {
  const isOurs = await isBackplane(localUrl(host, port));
  return isOurs ? portInUse(name, port).replace("another program", "another Backplane") : portInUse(name, port);
}

/** Whether a Backplane process answers there. */
export async function isBackplane(url: string): Promise<boolean> {
  try {
    const response = await plainFetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return ((await response.json()) as { status?: unknown }).status === "ok";
  } catch {
    return false;
  }
}

/** Checks, before anything starts, everything that would prevent a start. Returns the faults. */
export async function preflight(settings: Settings, accountHome?: string): Promise<string[]> {
  const home = homeFault(settings.home, settings.logsFolder);
  const project = projectFault(settings.viewerProject);
  const { platformPort, gatewayPort, watchdogPort, viewerPort } = settings;
  const ours = takenByOwn(
    { PLATFORM_PORT: platformPort, GATEWAY_PORT: gatewayPort, WATCHDOG_PORT: watchdogPort, VIEWER_PORT: viewerPort },
    accountHome,
  );
  const faults = await Promise.all(portsOf(settings).map((port) => portFaultForUp(settings, port)));
  const ports = faults.map((fault) => (fault?.includes(" is in use by ") === true ? (ours ?? fault) : fault));
  return [...new Set([home, project, ...ports].filter((fault) => fault !== undefined))];
}

/** A port in use is fine if a command serves the viewer of this project there: it gives way to the one that `up` starts. */
async function portFaultForUp(
  settings: Settings,
  [name, port]: readonly [string, number],
): Promise<string | undefined> {
  const fault = await portFault(name, settings.host, port);
  if (fault === undefined || name !== "viewer") return fault;
  const { findViewer } = await import("@backplane/viewer/client");
  const running = await findViewer(settings.viewerProject, plainFetch);
  return running?.url === localUrl(settings.host, port) ? undefined : fault;
}

function projectFault(project: string): string | undefined {
  const isFolder = statSync(project, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder
    ? undefined
    : `VIEWER_PROJECT points to ${project}, which is not a folder. Create it, or choose another folder.`;
}
