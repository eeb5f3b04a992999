import type { Command } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { booleanOf, isObject, numberOf, textOf } from "../../controls/json.ts";
import { choicesOf, paramsOf, wordsOf } from "../../controls/params.ts";

/** A setting of the controller, as its command declares it, and what the controller says that it is. */
export type Setting = { id: string; name: string; now: JsonData | undefined } & (
  | { type: "number"; min: number | undefined; max: number | undefined }
  | { type: "boolean" }
  | { type: "choice"; choices: readonly string[] }
);

const UNITS: readonly (readonly [ending: string, unit: string])[] = [
  ["_pct_s", "% per s"],
  ...(["deg", "pct", "ms", "hz", "v", "a", "c", "s"] as const).map(
    (unit) => [`_${unit}`, { deg: "°", pct: "%", hz: "Hz", v: "V", a: "A", c: "°C", ms: "ms", s: "s" }[unit]] as const,
  ),
];

/** timing_deg → Timing, ° */
function nameOf(id: string): string {
  const found = UNITS.find(([ending]) => id.endsWith(ending));
  return found ? `${wordsOf(id.slice(0, -found[0].length))}, ${found[1]}` : wordsOf(id);
}

/** The settings that can be changed, in the order of the command. */
export function settingsOf(command: Command | undefined, values: JsonData | null | undefined): Setting[] {
  const said = isObject(values) ? values : {};
  return Object.entries(paramsOf(command)).flatMap(([id, param]): Setting[] => {
    const about = { id, name: nameOf(id) };
    const now = Object.hasOwn(said, id) ? said[id] : undefined;
    if (param.type === "boolean") return [{ ...about, type: "boolean", now: booleanOf(now) }];
    const choices = choicesOf(command, id);
    if (choices.length > 0) return [{ ...about, type: "choice", choices, now: textOf(now) }];
    if (param.type !== "number" && param.type !== "integer") return [];
    return [
      { ...about, type: "number", now: numberOf(now), min: numberOf(param.minimum), max: numberOf(param.maximum) },
    ];
  });
}

/** Only what is different from what the controller says. */
export const changedOf = (settings: readonly Setting[], wanted: JsonObject): JsonObject =>
  Object.fromEntries(
    settings.flatMap(({ id, now }) => {
      const to = Object.hasOwn(wanted, id) ? wanted[id] : undefined;
      return to === undefined || to === now ? [] : [[id, to]];
    }),
  );
