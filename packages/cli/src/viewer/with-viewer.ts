import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { loadSettings, type Settings } from "@backplane/kit/settings";
import { findViewer, type ViewerAccess } from "@backplane/viewer/client";
import { type Outcome, type Running, runCommand } from "../run.ts";
import { commandSettings, runningViewerProject } from "../running.ts";

/** Options of every command here. */
export type ViewerFlags = { project?: string; json?: boolean };

type ViewerSettings = Settings & { isProjectGiven: boolean };

/**
 * The settings of the environment and the folder. Only the environment decides which model sees the screenshots and
 * which Backplane gets a key, and how commands are written: these commands run in folders that somebody else may have written.
 */
export function viewerSettings(host: NodeJS.Process, { project }: ViewerFlags): ViewerSettings {
  const { settings, environment } = loadSettings(host.env, host.cwd());
  const { home } = commandSettings(host);
  const { namer, baseUrl, command } = commandSettings(host, { envFile: false });
  const isProjectGiven = project !== undefined || Boolean(environment.VIEWER_PROJECT?.trim());
  const viewerProject = project === undefined ? settings.viewerProject : resolve(host.cwd(), project);
  return { ...settings, home, namer, baseUrl, command, viewerProject, isProjectGiven };
}

/**
 * The same for commands of people: without a project, and in a folder without screenshots, they mean the viewer that
 * runs on this machine.
 */
export function viewerSettingsAnywhere(host: NodeJS.Process, options: ViewerFlags): Settings {
  const { isProjectGiven, ...settings } = viewerSettings(host, options);
  if (isProjectGiven || existsSync(folderOf(settings.viewerProject))) return settings;
  return { ...settings, viewerProject: runningViewerProject(host) ?? settings.viewerProject };
}

/** Where the screenshots of a project are. */
export const folderOf = (project: string): string => join(project, SCREENSHOTS_FOLDER);

export type Reached = AsyncDisposable & {
  access: ViewerAccess;
  /** Undefined: no page is served; the folder was opened for this command only. */
  url: string | undefined;
};

/** The running viewer of the project, or else one inside this process for as long as the command runs. */
export async function reachViewer(host: NodeJS.Process, settings: Settings): Promise<Reached> {
  const found = await findViewer(settings.viewerProject, plainFetch);
  if (found) return { ...found, [Symbol.asyncDispose]: async () => {} };
  const { openOwnViewer } = await import("./own-viewer.ts");
  const viewer = await openOwnViewer(host, settings);
  return { access: viewer.access, url: undefined, [Symbol.asyncDispose]: () => viewer.close() };
}

/** Runs a command on the screenshots of the project. Returns the exit code. */
export const withViewer = (
  host: NodeJS.Process,
  options: ViewerFlags,
  use: (running: Running & { access: ViewerAccess }) => Promise<Outcome>,
): Promise<number> =>
  runCommand(host, options, async (running) => {
    await using reached = await reachViewer(host, viewerSettingsAnywhere(host, options));
    return await use({ ...running, access: reached.access });
  });
