import { text } from "node:stream/consumers";
import type { PushAccess } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { SHAPES, type Terminal } from "../terminal.ts";
import { plain } from "../text.ts";
import { type Adding, notASetting, propertiesOf, readSettings } from "./settings.ts";

const TONES = { playing: "ok", connecting: "warn", refused: "danger", idle: "off" } as const;
/** Instead of a secret: it is read from standard input, because other users of a machine see arguments. */
const FROM_INPUT = "-";

export const list = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const found = await workspace.devices.streams.list();
    answer(found, () => {
      for (const { name, kind, state, reason, viewers, settings } of found.streams) {
        const tone = TONES[state];
        const at = typeof settings.address === "string" ? `, ${settings.address}` : "";
        const recorded = settings.record === true ? ", recorded" : "";
        out.line(
          `${out.paint(tone, SHAPES[tone])} ${plain(name)}  ${plain(kind)}, ${state}, ${viewers} looking${recorded}${plain(at)}`,
        );
        if (reason !== undefined) out.line(`    ${plain(reason)}`);
      }
      out.hint("Kinds, with their settings:");
      for (const { kind, description, settings } of found.kinds)
        out.hint(`  ${plain(kind)}  ${plain(description)}: ${plain(Object.keys(propertiesOf(settings)).join(", "))}`);
    });
    return undefined;
  });

export const add = (...[host, name, kind, pairs, options]: Adding): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { kinds } = await workspace.devices.streams.list();
    const settings = readSettings(pairs, kinds.find((one) => one.kind === kind)?.settings);
    if ("bad" in settings) return notASetting(settings.bad, "address=rtsp://192.168.1.60/stream1");
    const made = await workspace.devices.streams.add({ name, kind, settings: await withInput(host, settings.read) });
    answer(made, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} The workspace has the camera ${plain(made.name)}.`);
      if (made.push) showPush(out, made.push);
      else out.hint("Nothing is connected until somebody looks: open the panel WebRTC player or Live stream.");
    });
    return undefined;
  });

async function withInput(host: NodeJS.Process, settings: JsonObject): Promise<JsonObject> {
  const secret = Object.keys(settings).find((key) => settings[key] === FROM_INPUT);
  return secret === undefined ? settings : { ...settings, [secret]: (await text(host.stdin)).trimEnd() };
}

export const newKey = (host: NodeJS.Process, name: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const push = await workspace.devices.streams.newKey(name);
    answer(push, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} ${plain(name)} has a new key; the one before does not work any more.`);
      showPush(out, push);
    });
    return undefined;
  });

function showPush(out: Terminal, { address, key }: PushAccess): void {
  out.line(`    push to  ${plain(address)}`);
  out.line(`    key      ${plain(key)}`);
  out.hint("The key is shown once. A program that pushes by WHIP, such as OBS, sends it as its bearer token.");
}

export const remove = (host: NodeJS.Process, name: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    await workspace.devices.streams.remove(name);
    answer({ name }, () => out.line(`${out.paint("ok", SHAPES.ok)} ${plain(name)} is removed.`));
    return undefined;
  });
