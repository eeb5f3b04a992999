import { type Platform, TOOL_VERSION_PATTERN } from "@backplane/contract/registry";
import { platformWords } from "./words.ts";

/** A version of the design tool and its platform. */
export type ToolChoice = { tool: string; platform: Platform };

export type SavedTools = {
  chosen: ToolChoice | undefined;
  /** Chosen before, most recent first. */
  recent: readonly ToolChoice[];
};

export const TOOL_KEY = "backplane-tool";
const MAX_RECENT = 5;

const TOOL_VERSION = new RegExp(TOOL_VERSION_PATTERN);

const isPlatform = (value: unknown): value is Platform =>
  typeof value === "string" && Object.hasOwn(platformWords, value);

/** Reads a choice from an address or from storage; undefined when it is not valid. */
export function readChoice(tool: unknown, platform: unknown): ToolChoice | undefined {
  if (typeof tool !== "string" || !TOOL_VERSION.test(tool) || !isPlatform(platform)) return undefined;
  return { tool, platform };
}

export const sameChoice = (a: ToolChoice | undefined, b: ToolChoice | undefined): boolean =>
  a?.tool === b?.tool && a?.platform === b?.platform;

const readSaved = (value: unknown): ToolChoice | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const { tool, platform } = value as Record<string, unknown>;
  return readChoice(tool, platform);
};

/** What this browser remembers. Anything else in that storage key is ignored. */
export function loadTools(storage: Pick<Storage, "getItem">): SavedTools {
  try {
    const kept: unknown = JSON.parse(storage.getItem(TOOL_KEY) ?? "{}");
    const { chosen, recent } = kept as { chosen?: unknown; recent?: unknown };
    const list = Array.isArray(recent) ? recent.slice(0, MAX_RECENT).map(readSaved) : [];
    return { chosen: readSaved(chosen), recent: list.filter((choice) => choice !== undefined) };
  } catch {
    return { chosen: undefined, recent: [] };
  }
}

/** Adds a new choice. Choosing no tool keeps the recent ones. */
export function withChoice({ recent }: SavedTools, chosen: ToolChoice | undefined): SavedTools {
  if (!chosen) return { chosen, recent };
  const others = recent.filter((choice) => !sameChoice(choice, chosen));
  return { chosen, recent: [chosen, ...others].slice(0, MAX_RECENT) };
}

export const saveTools = (storage: Pick<Storage, "setItem">, tools: SavedTools): void =>
  storage.setItem(TOOL_KEY, JSON.stringify(tools));

/** Tool 9.0 on Linux */
export const toolWords = ({ tool, platform }: ToolChoice): string => `Tool ${tool} on ${platformWords[platform]}`;

/** The head of the status column: On tool 9.0, Linux */
export const toolHead = ({ tool, platform }: ToolChoice): string => `On tool ${tool}, ${platformWords[platform]}`;

/** A first guess from navigator.platform; people can choose another one. */
export function guessPlatform(system: string): Platform {
  if (/win/i.test(system)) return "windows";
  return /mac|iphone|ipad/i.test(system) ? "macos" : "linux";
}

const MAX_NAMED = 6;

/** Tool versions that the package's versions name as limits, latest first. */
export function namedTools(versions: readonly { tool_version: string; tool_version_max?: string }[]): string[] {
  const named = versions.flatMap(({ tool_version: from, tool_version_max: to }) =>
    to === undefined ? [from] : [to, from],
  );
  return [...new Set(named)].sort(laterFirst).slice(0, MAX_NAMED);
}

const laterFirst = (a: string, b: string): number => b.localeCompare(a, "en", { numeric: true });

/** What the select offers: the chosen tool, recent tools, and those that the package names. */
export function offeredTools(
  { recent }: SavedTools,
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
