import type { JsonObject } from "@backplane/contract/panels";
import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { SHAPES, type Terminal } from "../terminal.ts";
import { plain } from "../text.ts";

const markOf = (out: Terminal, tone: keyof typeof SHAPES): string => out.paint(tone, SHAPES[tone]);

export const list = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const found = await workspace.devices.list();
    answer(found, () => {
      if (found.stopped) out.line(`${out.paint("danger", SHAPES.danger)} Stopped by ${plain(found.stopped.by)}.`);
      for (const { id, name, state, source, lease, capabilities } of found.devices) {
        const held = lease ? `, controlled by ${plain(lease.holder.program ?? lease.holder.user)}` : "";
        out.line(
          `${markOf(out, state === "ready" ? "ok" : "warn")} ${plain(id)}  ${plain(name)}, ${state}, ${source}${held}`,
        );
        for (const capability of capabilities) {
          const commands = Object.keys(capability.commands);
          const can = commands.length > 0 ? `; commands: ${plain(commands.join(", "))}` : "";
          out.line(`    ${plain(capability.id)}: ${plain(Object.keys(capability.fields).join(", "))}${can}`);
        }
      }
      if (found.devices.length === 0) out.hint("There are no devices yet. Try one: backplane simulate temperature");
    });
    return undefined;
  });

export const read = (host: NodeJS.Process, device: string, capability: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const last = await workspace.devices.read(device, capability);
    answer(last, () => {
      for (const [field, value] of Object.entries(last.fields))
        out.line(`${plain(field)}  ${plain(JSON.stringify(value))}`);
      out.hint(
        last.ageMs === null ? "Nothing was measured yet." : `Measured ${(last.ageMs / 1_000).toFixed(1)} s ago.`,
      );
    });
    return undefined;
  });

type WaitFlags = PanelFlags & { above?: string; below?: string; equals?: string; timeout: string };

export const wait = (
  host: NodeJS.Process,
  device: string,
  capability: string,
  field: string | undefined,
  options: WaitFlags,
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const [above, below, seconds] = [options.above, options.below, options.timeout].map((text) =>
      text === undefined ? undefined : Number(text),
    );
    if ([above, below, seconds].some((number) => number !== undefined && !Number.isFinite(number)))
      return refuse("wrong-usage", "--above, --below and --timeout are numbers.", "Such as --above 150");
    const waited = await workspace.devices.wait(device, capability, {
      ...(field === undefined ? {} : { field }),
      ...(above === undefined ? {} : { above }),
      ...(below === undefined ? {} : { below }),
      ...(options.equals === undefined ? {} : { equals: options.equals }),
      timeoutMs: Math.round((seconds ?? 0) * 1_000),
    });
    answer(waited, () => {
      for (const [name, value] of Object.entries(waited.fields))
        out.line(`${plain(name)}  ${plain(JSON.stringify(value))}`);
      if (!waited.reached) out.hint("The time was over first.");
    });
    return waited.reached ? undefined : 1;
  });

export const follow = (
  host: NodeJS.Process,
  device: string,
  capability: string | undefined,
  options: PanelFlags,
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, out }) => {
    const which = { device, ...(capability === undefined ? {} : { capability }) };
    for await (const event of workspace.devices.events(which)) {
      if (event.type !== "values") continue;
      for (const [i, tMs] of event.tMs.entries()) {
        const values = Object.entries(event.fields).map(([name, column]) => [name, column[i] ?? null]);
        out.line(JSON.stringify({ at: new Date(tMs).toISOString(), ...Object.fromEntries(values) }));
      }
    }
    return undefined;
  });

export const command = (
  host: NodeJS.Process,
  device: string,
  capability: string,
  name: string,
  given: string | undefined,
  options: PanelFlags & { arm?: boolean },
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace: { devices }, answer, out }) => {
    const params = paramsIn(given);
    if (!params)
      return refuse("wrong-usage", "The parameters are not a JSON object.", `Such as '{"velocity_rad_s": 5}'`);
    if (options.arm === true) {
      await devices.take(device);
      await devices.arm(device);
    }
    const ack = await devices.command(device, capability, name, params);
    answer(ack, () =>
      out.line(
        ack.ok
          ? `${out.paint("ok", SHAPES.ok)} ${ack.reached === false ? "Sent. The device does not say whether it did it." : `Done, in ${Math.round(ack.tookMs)} ms.`}`
          : `${out.paint("danger", SHAPES.danger)} The device refused: ${plain(ack.detail ?? ack.code ?? "no reason given").replace(/\.?$/, ".")}`,
      ),
    );
    return ack.ok ? undefined : 1;
  });

function paramsIn(text = "{}"): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

export const stop = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { devices } = await workspace.devices.stop();
    const silent = Object.entries(devices).filter(([, { ok }]) => !ok);
    answer({ devices }, () => {
      out.line(
        `${out.paint("danger", SHAPES.danger)} Stopped. ${Object.keys(devices).length - silent.length} of ${Object.keys(devices).length} devices have confirmed it.`,
      );
      for (const [id, { detail, code }] of silent) out.line(`  ${plain(id)}: ${plain(detail ?? code ?? "no answer")}`);
      out.hint("When it is safe: backplane device clear");
    });
    return silent.length > 0 ? 1 : undefined;
  });

export const clear = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { devices } = workspace;
    // Only who is in control of a device may say that it is safe again.
    const [one] = (await devices.list()).devices;
    if (one) await devices.take(one.id);
    await devices.clearStop();
    if (one) await devices.leave(one.id);
    answer({ stopped: null }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} Devices can be controlled again. Nothing is armed.`),
    );
    return undefined;
  });

export const makeKey = (
  host: NodeJS.Process,
  name: string,
  options: PanelFlags & { device?: string; gateway?: boolean },
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { device, gateway } = options;
    const made = await workspace.devices.makeKey({
      name,
      ...(device === undefined ? {} : { device }),
      ...(gateway === undefined ? {} : { gateway }),
    });
    const { address } = await workspace.devices.keys();
    answer({ ...made, address }, () => {
      out.line(made.key);
      out.hint(
        `Its MQTT password, shown only now. The user name is free; the address is ${address ?? "not set up yet"}.`,
      );
    });
    return undefined;
  });

export const keys = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const found = await workspace.devices.keys();
    answer(found, () => {
      for (const { id, name, device, gateway, isConnected } of found.keys) {
        const who = gateway ? "several devices" : (device ?? "the first device that uses it");
        out.line(`${markOf(out, isConnected ? "ok" : "off")} ${id}  ${plain(name)}, for ${plain(who)}`);
      }
      out.hint(
        found.address === null
          ? (found.reason ?? "Devices can connect once there is a key: backplane device key NAME")
          : `Devices connect to ${found.address}`,
      );
    });
    return undefined;
  });

export const foxglove = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const link = await workspace.devices.foxglove();
    answer(link, () => {
      out.line(link.url);
      out.hint(
        "Open it in Foxglove or Lichtblick as a Foxglove WebSocket. It only looks. It is a secret until it ends.",
      );
    });
    return undefined;
  });
