import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { SHAPES } from "../terminal.ts";
import { plain } from "../text.ts";
import { type Adding, notASetting, propertiesOf, readSettings } from "./settings.ts";

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

export const connect = (...[host, name, kind, pairs, options]: Adding): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { kinds } = await workspace.devices.sources();
    const settings = readSettings(pairs, kinds.find((one) => one.kind === kind)?.settings);
    if ("bad" in settings) return notASetting(settings.bad, "host=192.168.1.40");
    const made = await workspace.devices.connect({ name, kind, settings: settings.read });
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
