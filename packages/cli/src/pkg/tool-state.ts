import { posix, win32 } from "node:path";

/** What the folder of a design tool's packages says: whose they are, and of which version. */
export type ToolFolder = { brand: string; version: string };

export type Account = {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string;
  exists(path: string): boolean;
};

const STATE_FILE = "installed_packages.json";

/** Where the field's tool keeps its packages: ".../kicad/9.0/3rdparty", on Windows and macOS ".../KiCad/…". */
const TOOL_FOLDER = /[\\/]([a-z][a-z0-9]{0,30})[\\/]([0-9]{1,2}[.][0-9]{1,2})[\\/]3rdparty$/i;

export function toolFolder(root: string): ToolFolder | undefined {
  const [, brand, version] = TOOL_FOLDER.exec(root) ?? [];
  return brand === undefined || version === undefined ? undefined : { brand: brand.toLowerCase(), version };
}

export const pathsOf = (platform: NodeJS.Platform): typeof posix => (platform === "win32" ? win32 : posix);

/**
 * The tool keeps the list of what is installed among its settings, not beside the packages: both work on one list when
 * it is that one. Undefined: there are no settings of this version, or these are not the packages that they are for.
 */
export function toolStateFile(root: string, tool: ToolFolder, account: Account): string | undefined {
  const paths = pathsOf(account.platform);
  const settings = settingsFolders(root, tool, account).find((folder) => account.exists(folder));
  return settings === undefined ? undefined : paths.join(settings, STATE_FILE);
}

function settingsFolders(root: string, { brand, version }: ToolFolder, account: Account): string[] {
  const { env, platform, home } = account;
  const { join } = pathsOf(platform);
  const named = env[`${brand.toUpperCase()}_CONFIG_HOME`];
  if (named) return [join(named, version)];
  if (!isOwnRoot(root, { brand, version }, account)) return [];
  const below = (folder: string) => join(folder, brand, version);
  if (platform === "win32") return [below(env.APPDATA || join(home, "AppData", "Roaming"))];
  if (platform === "darwin") return [below(join(home, "Library", "Preferences"))];
  return [...sandboxFolders(root, home), below(env.XDG_CONFIG_HOME || join(home, ".config"))];
}

/** A sandboxed tool (Flatpak) has data and settings side by side in a folder of its own. */
function sandboxFolders(root: string, home: string): string[] {
  const inside = root.startsWith(`${home}/.var/app/`) && /^(.*)\/data\/([^/]+\/[^/]+)\/3rdparty$/.exec(root);
  return inside ? [`${inside[1]}/config/${inside[2]}`] : [];
}

/** A folder of that name elsewhere, such as one to try something in, must not get into this account's settings. */
function isOwnRoot(root: string, { brand, version }: ToolFolder, { env, platform, home }: Account): boolean {
  const { join, relative, isAbsolute } = pathsOf(platform);
  // Documents may have been moved anywhere there.
  if (platform === "win32") return true;
  const name = brand.toUpperCase();
  const [major] = version.split(".");
  const documents = env[`${name}_DOCUMENTS_HOME`];
  if (root === env[`${name}${major}_3RD_PARTY`]) return true;
  if (documents && root === join(documents, version, "3rdparty")) return true;
  return [home, env.XDG_DATA_HOME].some((folder) => {
    const inside = folder ? relative(folder, root) : "..";
    return !inside.startsWith("..") && !isAbsolute(inside);
  });
}
