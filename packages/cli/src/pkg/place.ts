import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Tool } from "@backplane/registry/manager";
import { type Refusal, refuse } from "../refusal.ts";

/** Options of every command that works on a folder of installed packages. */
export type PkgOptions = {
  root?: string;
  /** KiCad's own folder. */
  kicad?: boolean;
  brand?: string;
  tool?: string;
  platform?: string;
  runtime?: string[];
  offline?: boolean;
  strict?: boolean;
  /** The Backplane whose packages are used too. */
  url?: string;
  json?: boolean;
};

type Host = Pick<NodeJS.Process, "env" | "cwd" | "platform">;

/** The parts of the machine that are used, other than the process. */
type Machine = { home: string; exists(path: string): boolean };

/** Where packages go, and the design tool they are for. */
export type Place = {
  root: string;
  /** The design tool's own list of installed packages. Absent: the list is in the root. */
  stateFile?: string;
  brand: string;
  tool: Tool;
  isToolGiven: boolean;
};

/** If nothing says which version the design tool has. */
const ASSUMED_TOOL_VERSION = "9.0";
const DEFAULT_BRAND = "tool";
const PLATFORMS: Readonly<Record<string, Tool["platform"]>> = { win32: "windows", darwin: "macos", linux: "linux" };
const PLATFORM_NAMES: readonly string[] = Object.values(PLATFORMS);
const RUNTIMES: readonly Tool["runtimes"][number][] = ["swig", "ipc"];

/** Options win over the environment, and the environment over the folder. */
export function placeOf(
  { env, cwd, platform }: Host,
  options: PkgOptions,
  { home, exists }: Machine = { home: homedir(), exists: existsSync },
): Place | Refusal {
  const { join, resolve } = pathsOf(platform);
  const root = options.root ?? env.BACKPLANE_PKG_ROOT;
  const folder = root ? resolve(cwd(), root) : join(home, ".backplane", "packages");
  const own = toolFolder(folder);
  const brand = options.brand ?? (env.BACKPLANE_PKG_BRAND || own?.brand) ?? DEFAULT_BRAND;
  if (!/^[a-z][a-z0-9]{0,30}$/.test(brand)) {
    return refuse("bad-brand", `"${brand}" is not a brand.`, `Use a lower-case name such as tool or kicad.`);
  }
  const given = options.tool ?? (env.BACKPLANE_PKG_TOOL || own?.version);
  const version = given ?? ASSUMED_TOOL_VERSION;
  if (!/^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$/.test(version)) {
    return refuse("bad-tool", `"${version}" is not a version of a design tool.`, `Use one such as --tool 9.0.2`);
  }
  const system = options.platform ?? PLATFORMS[platform] ?? "linux";
  if (!isPlatform(system)) {
    return refuse("bad-platform", `"${system}" is not a platform.`, `Use one of ${PLATFORM_NAMES.join(", ")}.`);
  }
  const unknown = options.runtime?.find((name) => !RUNTIMES.some((known) => known === name));
  if (unknown !== undefined) {
    return refuse("bad-runtime", `"${unknown}" is not a runtime.`, `Use one of ${RUNTIMES.join(", ")}.`);
  }
  const runtimes = RUNTIMES.filter((name) => options.runtime?.includes(name) ?? true);
  const stateFile = own && toolStateFile(folder, own, { env, platform, home, exists });
  return {
    root: folder,
    ...(stateFile === undefined ? {} : { stateFile }),
    brand,
    tool: { version, platform: system, runtimes },
    isToolGiven: given !== undefined,
  };
}

const isPlatform = (name: string): name is Tool["platform"] => PLATFORM_NAMES.includes(name);

/** What the path of a design tool's package folder says. */
export type ToolFolder = { brand: string; version: string };

export type Account = {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string;
  exists(path: string): boolean;
};

export const STATE_FILE = "installed_packages.json";

/** Where KiCad keeps its packages: ".../kicad/9.0/3rdparty", on Windows and macOS ".../KiCad/…". */
const TOOL_FOLDER = /[\\/]([a-z][a-z0-9]{0,30})[\\/]([0-9]{1,2}[.][0-9]{1,2})[\\/]3rdparty$/i;

function toolFolder(root: string): ToolFolder | undefined {
  const [, brand, version] = TOOL_FOLDER.exec(root) ?? [];
  return brand === undefined || version === undefined ? undefined : { brand: brand.toLowerCase(), version };
}

const pathsOf = (platform: NodeJS.Platform): typeof posix => (platform === "win32" ? win32 : posix);

/**
 * The tool keeps its list of installed packages in its settings folder, not beside the packages. Using the same file, both
 * programs share one list. Undefined if there are no settings of this version, or they are for another package folder.
 */
function toolStateFile(root: string, tool: ToolFolder, account: Account): string | undefined {
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

/** A folder with such a name elsewhere, for example a test folder, must not change this account's settings. */
function isOwnRoot(root: string, { brand, version }: ToolFolder, { env, platform, home }: Account): boolean {
  const { join, relative, isAbsolute } = pathsOf(platform);
  // On Windows, the documents folder can be anywhere.
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
