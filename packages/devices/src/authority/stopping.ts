import type { Capability, Command, Device } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { CUT_COMMANDS, STOP_COMMANDS } from "../stop-commands.ts";

/**
 * Whether a command only stops, aborts or switches off what moves or is powered. Such a command needs neither lease nor
 * arming, because whoever sees that something is wrong must be able to end it. A lamp is not meant: a dark room is no safer.
 */
export const isStopping = ({ effect }: Command, name: string, params: JsonObject): boolean =>
  effect !== "changes" && (STOP_COMMANDS.includes(name) || (params.on === false && Object.keys(params).length === 1));

/** Effects that need control of the device: somebody could be hurt. */
export const needsControl = ({ effect }: Command): boolean => effect === "moves" || effect === "powers";

const has = (capability: Capability, effect: Command["effect"]): boolean =>
  Object.values(capability.commands).some((command) => command.effect === effect);

export const canMove = ({ capabilities }: Device): boolean => capabilities.some((one) => has(one, "moves"));

export const movesIn = ({ capabilities }: Device, id: string): boolean =>
  capabilities.some((one) => one.id === id && has(one, "moves"));

/** Something that supplies or heats, or that keeps something in the air, and how it is switched off. */
export type Rail = { device: string; capability: string; rail: string; name: string; params: JsonObject };

export const railKey = ({ device, capability, rail }: Pick<Rail, "device" | "capability" | "rail">): string =>
  `${device}/${capability}/${rail}`;

/** The rails of a device in the order in which it declares them. Several in one capability: `off` has a parameter `rail` with all names. */
export function railsOf({ id, capabilities }: Device): Rail[] {
  return capabilities.flatMap((capability): Rail[] => {
    if (!has(capability, "powers")) return [];
    const found = CUT_COMMANDS.find((known) => Object.hasOwn(capability.commands, known));
    const place = { device: id, capability: capability.id };
    if (found === undefined)
      return switchOf(capability).map((name) => ({ ...place, rail: "", name, params: { on: false } }));
    const names = railNames(capability.commands[found]);
    if (names.length === 0) return [{ ...place, rail: "", name: found, params: {} }];
    return names.map((rail) => ({ ...place, rail, name: found, params: { rail } }));
  });
}

/** The rail that a command with effect `powers` is for. */
export const railNamed = (params: JsonObject): string => (typeof params.rail === "string" ? params.rail : "");

function propertyOf(command: Command | undefined, name: string): JsonObject | undefined {
  const { properties } = command?.params ?? {};
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return undefined;
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof property === "object" && property !== null && !Array.isArray(property) ? property : undefined;
}

function railNames(command: Command | undefined): string[] {
  const names = propertyOf(command, "rail")?.enum;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Commands such as `set {on}` of a plug, which have no name of their own for switching off. */
const switchOf = ({ commands }: Capability): string[] =>
  Object.entries(commands).flatMap(([name, command]) =>
    command.effect === "powers" && propertyOf(command, "on")?.type === "boolean" ? [name] : [],
  );
