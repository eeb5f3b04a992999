import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { SHAPES } from "../terminal.ts";
import { plain } from "../text.ts";

/** A map of variables has a line for each of them: `--json` prints all of it. */
const MAX_SHOWN = 60;

const TONES = { connected: "ok", connecting: "warn", refused: "danger" } as const;

export const sources = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const found = await workspace.devices.sources();
    answer(found, () => {
      for (const { name, kind, state, reason, settings } of found.sources) {
        const tone = TONES[state];
        const at = Object.entries(settings).map(([key, value]) => `${key}=${shortened(String(value))}`);
        out.line(`${out.paint(tone, SHAPES[tone])} ${plain(name)}  ${plain(kind)}, ${state}, ${plain(at.join(" "))}`);
        if (reason !== undefined) out.line(`    ${plain(reason)}`);
      }
      out.hint("Kinds, with their settings:");
      for (const { kind, description, settings } of found.kinds)
        out.hint(`  ${plain(kind)}  ${plain(description)}: ${plain(Object.keys(propertiesOf(settings)).join(", "))}`);
    });
    return undefined;
  });

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

export const connect = (
  host: NodeJS.Process,
  name: string,
  kind: string,
  pairs: readonly string[],
  options: PanelFlags,
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const bad = pairs.find((pair) => !/^[\w-]+=/.test(pair));
    if (bad !== undefined)
      return refuse("wrong-usage", `"${plain(bad)}" is not a setting.`, "Settings are pairs such as host=192.168.1.40");
    const { kinds } = await workspace.devices.sources();
    const known = propertiesOf(kinds.find((one) => one.kind === kind)?.settings ?? {});
    const settings = Object.fromEntries(
      pairs.map((pair): [string, JsonData] => {
        const [key = "", ...rest] = pair.split("=");
        return [key, settingOf(rest.join("="), known[key])];
      }),
    );
    const made = await workspace.devices.connect({ name, kind, settings });
    answer(made, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} Backplane connects to ${plain(made.name)}.`);
      out.hint("Whether it is there: backplane device sources");
    });
    return undefined;
  });

export const disconnect = (host: NodeJS.Process, name: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    await workspace.devices.disconnect(name);
    answer({ name }, () => out.line(`${out.paint("ok", SHAPES.ok)} ${plain(name)} is disconnected.`));
    return undefined;
  });

const propertiesOf = ({ properties }: JsonObject): JsonObject =>
  typeof properties === "object" && properties !== null && !Array.isArray(properties) ? properties : {};

/** By the type that the setting has. What is not one of that type is sent as it is, and refused with the field. */
function settingOf(text: string, schema: JsonData | undefined): JsonData {
  const type = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema.type : undefined;
  const isNumber = type === "integer" || type === "number";
  if (isNumber && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}
