import { resolve } from "node:path";
import { loadSettings, readSettings, type Settings, SettingsFault } from "@backplane/kit/settings";
import { badInput, type Refusal } from "../connect/refusal.ts";

/** What every command here takes, as commander names it. */
export type ViewerFlags = { project?: string; json?: boolean };

/**
 * The settings of environment and folder. Which model sees the pictures, and where the workspace is that gets a key, the
 * environment alone may say: these commands run in folders that somebody else may have written.
 */
export function viewerSettings(host: NodeJS.Process, { project }: ViewerFlags): Settings | Refusal {
  try {
    const { settings } = loadSettings(host.env, host.cwd());
    const { namer, baseUrl } = readSettings(host.env, host.cwd());
    const viewerProject = project === undefined ? settings.viewerProject : resolve(host.cwd(), project);
    return { ...settings, namer, baseUrl, viewerProject };
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    return badInput("bad-settings", fault.message);
  }
}
