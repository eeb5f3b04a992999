import type { Net } from "./net.ts";

/** Widths that boards use for the nets of a class, in millimetres. */
export interface NetClass {
  readonly name: string;
  readonly trackWidthMm: number | undefined;
  readonly clearanceMm: number | undefined;
}

export type NetClasses = (net: Pick<Net, "name" | "classes">) => NetClass;

const DEFAULT: NetClass = { name: "Default", trackWidthMm: undefined, clearanceMm: undefined };
/** Of assignments and patterns, at most. */
const MAX_RULES = 10_000;

/**
 * The class of a net: the one that a flag on a sheet gives it, or the one that the project file (`.kicad_pro`) assigns by the
 * name of the net or by a pattern. A project file that cannot be read counts as none.
 */
export function readNetClasses(project: string | undefined): NetClasses {
  const settings = settingsOf(project);
  const classes = new Map(settings.classes.map((each) => [each.name, each]));
  const assigned = new Map(settings.assigned);
  return ({ name: net, classes: flags }) => {
    const like = () => settings.patterns.find(({ pattern }) => isLike(net, pattern))?.name;
    const name = flags[0] ?? assigned.get(net) ?? like() ?? DEFAULT.name;
    return classes.get(name) ?? { ...DEFAULT, name };
  };
}

interface Settings {
  readonly classes: readonly NetClass[];
  readonly assigned: readonly [net: string, name: string][];
  readonly patterns: readonly { readonly pattern: string; readonly name: string }[];
}

function settingsOf(project: string | undefined): Settings {
  const settings = fieldsOf(fieldsOf(parsed(project ?? "")).net_settings);
  const classes = listOf(settings.classes).map(fieldsOf);
  return {
    classes: classes.map((each) => ({
      name: String(each.name ?? ""),
      ...{ trackWidthMm: numberOf(each.track_width), clearanceMm: numberOf(each.clearance) },
    })),
    assigned: [
      // KiCad 6 lists the nets in their class.
      ...classes.flatMap((each) => listOf(each.nets).map((net): [string, string] => [String(net), String(each.name)])),
      ...Object.entries(fieldsOf(settings.netclass_assignments)).map(([net, name]): [string, string] => [
        net,
        String(Array.isArray(name) ? name[0] : name),
      ]),
    ].slice(0, MAX_RULES),
    patterns: listOf(settings.netclass_patterns)
      .map(fieldsOf)
      .map(({ pattern, netclass }) => ({ pattern: String(pattern ?? ""), name: String(netclass ?? "") })),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, MAX_RULES) : []);
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** `*` stands for any characters, `?` for one. Never longer than the product of both lengths. */
function isLike(text: string, pattern: string): boolean {
  let [at, place, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    const sign = pattern[place];
    if (sign === "*") [star, from, place] = [place, at, place + 1];
    else if (sign === "?" || (sign !== undefined && sign === text[at])) [at, place] = [at + 1, place + 1];
    else if (star === -1) return false;
    else {
      from += 1;
      [at, place] = [from, star + 1];
    }
  }
  while (pattern[place] === "*") place += 1;
  return place === pattern.length;
}
