import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { Tool } from "@backplane/registry/manager";
import { badInput, type Refusal } from "../connect/refusal.ts";
import type { PkgOptions } from "./options.ts";
import { pathsOf, toolFolder, toolStateFile } from "./tool-state.ts";

type Host = Pick<NodeJS.Process, "env" | "cwd" | "platform">;

/** What of the machine is looked at, other than the process. */
type Machine = { home: string; exists(path: string): boolean };

/** Where packages go, and the design tool they are for. */
export type Place = {
  root: string;
  /** Of the tool itself; absent: the list of what is installed is in the root. */
  stateFile?: string;
  brand: string;
  tool: Tool;
  isToolGiven: boolean;
};

/** Told to be assumed, when nobody said which tool it is. */
const ASSUMED_TOOL_VERSION = "9.0";
const DEFAULT_BRAND = "tool";
const PLATFORMS: Readonly<Record<string, Tool["platform"]>> = { win32: "windows", darwin: "macos", linux: "linux" };
const PLATFORM_NAMES: readonly string[] = Object.values(PLATFORMS);
const RUNTIMES: readonly Tool["runtimes"][number][] = ["swig", "ipc"];

/** Options before the environment, the environment before what the folder says. */
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
    return badInput("bad-brand", `"${brand}" is no brand.\nUse a lower-case name such as tool or kicad.`);
  }
  const given = options.tool ?? (env.BACKPLANE_PKG_TOOL || own?.version);
  const version = given ?? ASSUMED_TOOL_VERSION;
  if (!/^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$/.test(version)) {
    return badInput("bad-tool", `"${version}" is no version of a design tool.\nUse one such as --tool 9.0.2`);
  }
  const system = options.platform ?? PLATFORMS[platform] ?? "linux";
  if (!isPlatform(system)) {
    return badInput("bad-platform", `"${system}" is no platform.\nUse one of ${PLATFORM_NAMES.join(", ")}.`);
  }
  const unknown = options.runtime?.find((name) => !RUNTIMES.some((known) => known === name));
  if (unknown !== undefined) {
    return badInput("bad-runtime", `"${unknown}" is no runtime.\nUse one of ${RUNTIMES.join(", ")}.`);
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
