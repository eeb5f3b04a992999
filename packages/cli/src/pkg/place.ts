import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Tool } from "@backplane/registry/manager";
import { badInput, type Refusal } from "../connect/refusal.ts";
import type { PkgOptions } from "./options.ts";

type Host = Pick<NodeJS.Process, "env" | "cwd" | "platform">;

/** Where packages go, and the design tool they are for. */
export type Place = { root: string; brand: string; tool: Tool; isToolGiven: boolean };

/** Told to be assumed, when nobody said which tool it is. */
const ASSUMED_TOOL_VERSION = "9.0";
const DEFAULT_BRAND = "tool";
const PLATFORMS: Readonly<Record<string, Tool["platform"]>> = { win32: "windows", darwin: "macos", linux: "linux" };
const PLATFORM_NAMES: readonly string[] = Object.values(PLATFORMS);
const RUNTIMES: readonly Tool["runtimes"][number][] = ["swig", "ipc"];

/** Where the field's tool keeps its packages: the folder says whose they are, and of which version. */
const TOOLS_OWN_FOLDER = /[\\/]([a-z][a-z0-9]{0,30})[\\/]([0-9]{1,2}[.][0-9]{1,2})[\\/]3rdparty$/;

/** Options before the environment, the environment before what the folder says. */
export function placeOf({ env, cwd, platform }: Host, options: PkgOptions): Place | Refusal {
  const root = options.root ?? env.BACKPLANE_PKG_ROOT;
  const folder = root ? resolve(cwd(), root) : join(homedir(), ".backplane", "packages");
  const [, itsBrand, itsVersion] = TOOLS_OWN_FOLDER.exec(folder) ?? [];
  const brand = options.brand ?? (env.BACKPLANE_PKG_BRAND || itsBrand) ?? DEFAULT_BRAND;
  if (!/^[a-z][a-z0-9]{0,30}$/.test(brand)) {
    return badInput("bad-brand", `"${brand}" is no brand.\nUse a lower-case name such as tool or kicad.`);
  }
  const given = options.tool ?? (env.BACKPLANE_PKG_TOOL || itsVersion);
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
  return { root: folder, brand, tool: { version, platform: system, runtimes }, isToolGiven: given !== undefined };
}

const isPlatform = (name: string): name is Tool["platform"] => PLATFORM_NAMES.includes(name);
