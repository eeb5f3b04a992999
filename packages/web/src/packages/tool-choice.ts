import { type Platform, TOOL_VERSION_PATTERN } from "@backplane/contract/registry";
import { platformWords } from "./words.ts";

/** The design tool that somebody has. */
export type ToolChoice = { tool: string; platform: Platform };

export type KeptTools = {
  chosen: ToolChoice | undefined;
  /** Chosen before, the last one first. */
  recent: readonly ToolChoice[];
};

export const TOOL_KEY = "backplane-tool";
const MAX_RECENT = 5;

const TOOL_VERSION = new RegExp(TOOL_VERSION_PATTERN);

const isPlatform = (value: unknown): value is Platform =>
  typeof value === "string" && Object.hasOwn(platformWords, value);

/** A choice that an address or a storage names; undefined: it names none that can be asked for. */
export function readChoice(tool: unknown, platform: unknown): ToolChoice | undefined {
  if (typeof tool !== "string" || !TOOL_VERSION.test(tool) || !isPlatform(platform)) return undefined;
  return { tool, platform };
}

export const sameChoice = (a: ToolChoice | undefined, b: ToolChoice | undefined): boolean =>
  a?.tool === b?.tool && a?.platform === b?.platform;

const readKept = (value: unknown): ToolChoice | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const { tool, platform } = value as Record<string, unknown>;
  return readChoice(tool, platform);
};

/** What this browser remembers. Whatever else stands there is as good as nothing. */
export function keptTools(storage: Pick<Storage, "getItem">): KeptTools {
  try {
    const kept: unknown = JSON.parse(storage.getItem(TOOL_KEY) ?? "{}");
    const { chosen, recent } = kept as { chosen?: unknown; recent?: unknown };
    const list = Array.isArray(recent) ? recent.slice(0, MAX_RECENT).map(readKept) : [];
    return { chosen: readKept(chosen), recent: list.filter((choice) => choice !== undefined) };
  } catch {
    return { chosen: undefined, recent: [] };
  }
}

/** The same with a new choice; without one, what was chosen before stays at hand. */
export function withChoice({ recent }: KeptTools, chosen: ToolChoice | undefined): KeptTools {
  if (!chosen) return { chosen, recent };
  const others = recent.filter((choice) => !sameChoice(choice, chosen));
  return { chosen, recent: [chosen, ...others].slice(0, MAX_RECENT) };
}

export const keepTools = (storage: Pick<Storage, "setItem">, tools: KeptTools): void =>
  storage.setItem(TOOL_KEY, JSON.stringify(tools));

/** Tool 9.0 on Linux */
export const toolWords = ({ tool, platform }: ToolChoice): string => `Tool ${tool} on ${platformWords[platform]}`;

/** Above the states in a list: On tool 9.0, Linux */
export const toolHead = ({ tool, platform }: ToolChoice): string => `On tool ${tool}, ${platformWords[platform]}`;

/** Of a browser's own description of its system. Only a first guess: everybody can choose another. */
export function guessPlatform(system: string): Platform {
  if (/win/i.test(system)) return "windows";
  return /mac|iphone|ipad/i.test(system) ? "macos" : "linux";
}

const MAX_NAMED = 6;

/** Tool versions that versions of a package name as a limit, the latest first. */
export function namedTools(versions: readonly { tool_version: string; tool_version_max?: string }[]): string[] {
  const named = versions.flatMap(({ tool_version: from, tool_version_max: to }) =>
    to === undefined ? [from] : [to, from],
  );
  return [...new Set(named)].sort(laterFirst).slice(0, MAX_NAMED);
}

const laterFirst = (a: string, b: string): number => b.localeCompare(a, "en", { numeric: true });

/** What the select offers: what is chosen, what was chosen before, what the package names. */
export function offeredTools(
  { recent }: KeptTools,
  chosen: ToolChoice | undefined,
  named: readonly string[],
  platform: Platform,
): ToolChoice[] {
  const all = [...(chosen ? [chosen] : []), ...recent, ...named.map((tool) => ({ tool, platform }))];
  return all
    .filter((choice, place) => all.findIndex((other) => sameChoice(other, choice)) === place)
    .sort((a, b) => laterFirst(a.tool, b.tool) || a.platform.localeCompare(b.platform));
}

/** "9.0 linux": a choice as the value of an option. */
export const choiceKey = ({ tool, platform }: ToolChoice): string => `${tool} ${platform}`;
