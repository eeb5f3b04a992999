import {
  type Fit,
  type PackageType,
  type PackageVersion,
  type Platform,
  RUNTIMES,
  type ToolQuery,
} from "@backplane/contract/registry";
import { preferredVersion } from "../../versions/choose-version.ts";
import type { Tool } from "../../versions/compatibility.ts";
import { isAtLeast, isAtMost, readToolVersion } from "../../versions/version-numbers.ts";

const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { windows: "Windows", macos: "macOS", linux: "Linux" };
/** Used when the query names no platform. */
const SOME_PLATFORM: Platform = "linux";

/** The tool in a query; undefined if there is none. */
export type AskedTool = { tool: Tool; anyPlatform: boolean };

export function askedTool({ tool, platform, runtime }: ToolQuery): AskedTool | undefined {
  if (tool === undefined) return undefined;
  return {
    tool: { version: tool, platform: platform ?? SOME_PLATFORM, runtimes: runtime ? [runtime] : RUNTIMES },
    anyPlatform: platform === undefined,
  };
}

/** If the query names no platform, the platforms of the versions are ignored. */
export function versionsFor(versions: readonly PackageVersion[], { anyPlatform }: AskedTool): PackageVersion[] {
  if (!anyPlatform) return [...versions];
  return versions.map(({ platforms: _, ...version }) => version);
}

/** Whether a package works with a tool, in a few words. `versions`: latest first. */
export function fitOf(versions: readonly PackageVersion[], type: PackageType, asked: AskedTool): Fit {
  const looked = versionsFor(versions, asked);
  const preferred = preferredVersion(looked, type, asked.tool);
  if (preferred?.status === "stable") return { state: "works", version: preferred.version, words: "Works" };
  if (preferred) {
    return { state: "unstable-only", version: preferred.version, words: STATUS_WORDS[preferred.status] };
  }
  const [latest] = looked;
  const told = looked.find(({ status }) => status === "stable") ?? latest;
  return { state: "none", words: told ? whyNot(told, type, asked.tool) : "Withdrawn" };
}

const STATUS_WORDS = {
  stable: "Works",
  testing: "Testing only",
  development: "Development only",
  deprecated: "Deprecated",
} as const;

function whyNot(listed: PackageVersion, type: PackageType, tool: Tool): string {
  const running = readToolVersion(tool.version) ?? [];
  const minimum = readToolVersion(listed.tool_version) ?? [];
  const maximum = listed.tool_version_max === undefined ? undefined : readToolVersion(listed.tool_version_max);
  if (!isAtLeast(running, minimum)) return `Needs ${listed.tool_version}`;
  if (maximum && !isAtMost(running, maximum)) return `Up to ${listed.tool_version_max}`;
  if (listed.platforms && !listed.platforms.includes(tool.platform)) {
    return `${listed.platforms.map((platform) => PLATFORM_NAMES[platform]).join(", ")} only`;
  }
  const runtime = listed.runtime ?? "swig";
  return type === "plugin" && !tool.runtimes.includes(runtime) ? `Needs ${runtime.toUpperCase()}` : "Does not work";
}
