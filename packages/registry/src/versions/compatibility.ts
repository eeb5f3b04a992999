import type { PackageType, PackageVersion, Platform, Runtime } from "@backplane/contract/registry";
import { isAtLeast, isAtMost, readToolVersion } from "./version-numbers.ts";

/** The design tool that a package is for. */
export type Tool = { version: string; platform: Platform; runtimes: readonly Runtime[] };

/** For plugins that do not name one. */
const DEFAULT_RUNTIME: Runtime = "swig";

/** Why this version does not work with this tool; undefined if it does. */
export function whyIncompatible(listed: PackageVersion, type: PackageType, tool: Tool): string | undefined {
  const running = readToolVersion(tool.version);
  const minimum = readToolVersion(listed.tool_version);
  const { tool_version_max: max } = listed;
  const maximum = max === undefined ? undefined : readToolVersion(max);
  if (!running) return `"${tool.version}" is not a version of the tool`;
  if (!minimum || (max !== undefined && !maximum)) return "its supported tool versions cannot be read";
  if (!isAtLeast(running, minimum)) return `needs ${listed.tool_version} or later, this is ${tool.version}`;
  if (maximum && !isAtMost(running, maximum)) return `works up to ${max}, this is ${tool.version}`;
  if (listed.platforms && !listed.platforms.includes(tool.platform)) {
    return `is for ${listed.platforms.join(", ")}, this is ${tool.platform}`;
  }
  const runtime = listed.runtime ?? DEFAULT_RUNTIME;
  if (type === "plugin" && !tool.runtimes.includes(runtime)) {
    return `needs the ${runtime} runtime, which this tool does not offer`;
  }
  return undefined;
}
