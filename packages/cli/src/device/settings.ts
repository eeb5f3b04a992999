import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { PanelFlags } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { plain } from "../text.ts";

/** What a command gets that adds something whose settings are pairs. */
export type Adding = [host: NodeJS.Process, name: string, kind: string, pairs: readonly string[], options: PanelFlags];

/** Settings from pairs such as port=8888, by the schema of their kind. `bad`: one that is not a pair. */
export function readSettings(
  pairs: readonly string[],
  schema: JsonObject = {},
): { read: JsonObject } | { bad: string } {
  const bad = pairs.find((pair) => !/^[\w-]+=/.test(pair));
  if (bad !== undefined) return { bad };
  const known = propertiesOf(schema);
  const read = pairs.map((pair): [string, JsonData] => {
    const [key = "", ...rest] = pair.split("=");
    return [key, settingOf(rest.join("="), known[key])];
  });
  return { read: Object.fromEntries(read) };
}

export const notASetting = (text: string, example: string) =>
  refuse("wrong-usage", `"${plain(text)}" is not a setting.`, `Settings are pairs such as ${example}`);

export const propertiesOf = ({ properties }: JsonObject): JsonObject =>
  typeof properties === "object" && properties !== null && !Array.isArray(properties) ? properties : {};

/** By the type that the setting has. What is not one of that type is sent as it is, and refused with the field. */
function settingOf(text: string, schema: JsonData | undefined): JsonData {
  const type = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema.type : undefined;
  const isNumber = type === "integer" || type === "number";
  if (isNumber && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}
