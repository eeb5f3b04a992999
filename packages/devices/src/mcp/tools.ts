import { DEVICE_ID, DEVICES_LIMITS, type Devices, NewCommand, NewRecording } from "@backplane/contract/devices";
import {
  currentOf,
  ToolFault,
  workspaceTool as tool,
  toolInput,
  type WorkspaceCalls,
  type WorkspaceTools,
} from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { RECORDING_ID } from "../route-options.ts";
import { commandTools, FOR_MS } from "./command-tools.ts";

/** A device may take this long to be where it was told to be. */
const REACH_MS = 35_000;
/** Keeping the last 10 minutes writes all of them before it is answered. */
const WRITE_MS = 60_000;
const USUAL_POINTS = 100;
const MAX_POINTS = 1_000;

const id = (description: string) => Type.String({ minLength: 1, maxLength: DEVICES_LIMITS.maxIdLength, description });
// In addresses: "." and ".." would lead to another call.
const inPath = <Schema extends Type.TString>(schema: Schema, description: string): Schema => ({
  ...schema,
  description,
});
const device = inPath(DEVICE_ID, "The id of a device, from device_list");
const capability = inPath(DEVICE_ID, "The id of one of its capabilities, from device_list");

const recordingsOf = (workspace: WorkspaceCalls): string => `${currentOf(workspace)}/recordings`;
const devicesOf = (workspace: WorkspaceCalls): string => `${currentOf(workspace)}/devices`;

const IDS = "Call device_list for the devices and what they can do.";
const TAKE = "Take control with device_take, then call again.";

/** What people do with devices, for agents, by the same rules. */
export const DEVICE_TOOLS: WorkspaceTools = {
  begin: "device_list",
  advice: {
    "device-unknown": (what) => `${what} ${IDS}`,
    unsupported: (what) => `${what} Call device_list with this device for its commands.`,
    "unknown-field": (what) => `${what} Call device_list with this device for the parameters of its commands.`,
    "not-held": (what) => `${what} ${TAKE}`,
    "not-armed": (what) => `${what} Call device_take with arm, then call again.`,
    held: (what) => `${what} Ask the person whether to take over; a program cannot take over from a person.`,
    stopped: (what) =>
      `${what} Ask the person whether everything is safe before you call device_clear_stop, which needs device_take.`,
  },
  more: async (workspace) =>
    commandTools((await workspace.call("GET", devicesOf(workspace))) as Devices, (one) => ({
      run: (calls, input, signal) => command(calls, { ...one, ...input }, signal),
    })),
  tools: [
    tool(
      "device_list",
      "List devices",
      "Lists the devices of the workspace: state, who is in control, and what they can do. With `device`: that one, with the fields and units that it measures, and its commands with their parameters and limits.",
      toolInput({ device: Type.Optional(device) }),
      async (workspace, input) => listed((await workspace.call("GET", devicesOf(workspace))) as Devices, input.device),
      { readOnly: true },
    ),
    tool(
      "device_read",
      "Read a device",
      "Returns what a device measured last, and how old it is. Units are at the end of the names of fields.",
      toolInput({ device, capability }),
      (workspace, input) => workspace.call("GET", channelOf(workspace, input)),
      { readOnly: true },
    ),
    tool(
      "device_wait",
      "Wait for a value",
      "Waits until a field is above, below or equal to something; without `field`, for the next sample. `reached` is false if the time was over first.",
      toolInput({
        ...{ device, capability, field: Type.Optional(id("A field that it measures")) },
        ...{ above: Type.Optional(Type.Number()), below: Type.Optional(Type.Number()) },
        equals: Type.Optional(Type.String({ maxLength: DEVICES_LIMITS.maxNameLength })),
        timeoutMs: Type.Optional(
          Type.Integer({ minimum: 0, maximum: DEVICES_LIMITS.maxWaitMs, description: "Default 10000" }),
        ),
      }),
      (workspace, { device: one, capability: of, ...query }) => {
        const timeoutMs = query.timeoutMs ?? DEVICES_LIMITS.waitMs;
        const path = `${channelOf(workspace, { device: one, capability: of })}/wait`;
        return workspace.call("GET", `${path}${queryOf({ ...query, timeoutMs })}`, undefined, timeoutMs);
      },
      { readOnly: true },
    ),
    tool(
      "device_history",
      "Read the history of a device",
      "Returns what a device has measured as columns: lowest, highest, mean and last value of each point. The last hour unless `from` and `to` are given, as ISO times.",
      toolInput({
        ...{ device, capability, from: Type.Optional(Type.String()), to: Type.Optional(Type.String()) },
        fields: Type.Optional(
          Type.String({ description: "Names, with commas between them; all numbers unless given" }),
        ),
        points: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_POINTS, description: "Default 100" })),
      }),
      (workspace, { device: one, capability: of, points = USUAL_POINTS, ...query }) => {
        const path = `${channelOf(workspace, { device: one, capability: of })}/history`;
        return workspace.call("GET", `${path}${queryOf({ ...query, points })}`);
      },
      { readOnly: true },
    ),
    tool(
      "device_take",
      "Take control of a device",
      "Takes control of a device, or keeps it: it ends 5 s after it was last used. `arm`: what moves or powers something needs it. `takeOver`: from another program, after what moves was stopped; people cannot be taken over from.",
      toolInput({ device, arm: Type.Optional(Type.Boolean()), takeOver: Type.Optional(Type.Boolean()) }),
      async (workspace, input) => {
        const path = deviceOf(workspace, input.device);
        const lease = await workspace.call("PUT", `${path}/lease`, { takeOver: input.takeOver === true });
        if (input.arm) await workspace.call("PUT", `${path}/arm`, {});
        return { lease, isArmed: input.arm === true };
      },
    ),
    tool(
      "device_leave",
      "Give control back",
      "Gives the control of a device back. What moves stops.",
      toolInput({ device }),
      (workspace, input) => workspace.call("DELETE", `${deviceOf(workspace, input.device)}/lease`),
    ),
    tool(
      "device_command",
      "Command a device",
      "Sends a command to a device and returns its answer. What moves or powers something needs device_take with arm first. What moves stops 300 ms after the last command: `forMs` sends it again for that long, then it stops. To stop, abort or switch off needs no control.",
      toolInput({
        ...{
          device,
          capability,
          name: id("The name of a command, from device_list"),
          params: NewCommand.properties.params,
        },
        forMs: Type.Optional(FOR_MS),
      }),
      command,
      { destructive: true },
    ),
    tool(
      "device_recordings",
      "List recordings",
      "Lists the recordings of the workspace's devices, newest first, and whether one is running.",
      toolInput({}),
      (workspace) => workspace.call("GET", recordingsOf(workspace)),
      { readOnly: true },
    ),
    tool(
      "device_record",
      "Record devices",
      "Records what devices measure, say and are told, until device_record_stop. One recording at a time. `lastMs`: it begins that long ago, with what is in memory. `keep`: saves what just happened, up to the last 10 minutes, and ends at once.",
      toolInput(NewRecording.properties),
      (workspace, input) => workspace.call("POST", recordingsOf(workspace), input, WRITE_MS),
    ),
    tool(
      "device_record_stop",
      "End a recording",
      "Ends a recording, and returns what was recorded.",
      toolInput({ recording: inPath(RECORDING_ID, "The id of a recording, from device_record or device_recordings") }),
      (workspace, { recording }) => {
        const path = `${recordingsOf(workspace)}/${encodeURIComponent(recording)}`;
        return workspace.call("PATCH", path, { state: "stopped" }, WRITE_MS);
      },
    ),
    tool(
      "device_stop",
      "Stop all devices",
      "Stops everything in the workspace that moves or is powered, at once. Use it whenever something may go wrong. It does not replace a switch in the supply.",
      toolInput({}),
      (workspace) => workspace.call("POST", `${devicesOf(workspace)}/stop`, {}),
    ),
    tool(
      "device_clear_stop",
      "Clear the stop",
      "After a stop, lets devices be controlled again. Only for whoever is in control of a device. Ask the person first.",
      toolInput({}),
      (workspace) => workspace.call("DELETE", `${devicesOf(workspace)}/stop`),
      { destructive: true },
    ),
  ],
};

const deviceOf = (workspace: WorkspaceCalls, one: string): string =>
  `${devicesOf(workspace)}/${encodeURIComponent(one)}`;
const channelOf = (workspace: WorkspaceCalls, channel: { device: string; capability: string }): string =>
  `${deviceOf(workspace, channel.device)}/${encodeURIComponent(channel.capability)}`;

function queryOf(query: Record<string, string | number | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return `?${given}`;
}

/** All devices in short, or one in full: the schemas of hundreds of devices are more than a model can read. */
function listed({ devices, stopped }: Devices, wanted: string | undefined): object {
  if (wanted === undefined) {
    const short = devices.map(({ capabilities, ...one }) => ({
      ...one,
      capabilities: capabilities.map(({ fields: _, commands, ...of }) => ({ ...of, commands: Object.keys(commands) })),
    }));
    return { devices: short, stopped };
  }
  const found = devices.find(({ id: one }) => one === wanted);
  if (!found) throw new Problem("device-unknown", { detail: `There is no device ${wanted}.` });
  return { device: found, stopped };
}

type CommandInput = { device: string; capability: string; name: string; params?: unknown; forMs?: number };

async function command(workspace: WorkspaceCalls, input: CommandInput, signal: AbortSignal): Promise<unknown> {
  const { forMs = 0, name, params = {} } = input;
  const untilMs = performance.now() + forMs;
  const send = () => workspace.call("POST", `${channelOf(workspace, input)}/commands`, { name, params }, REACH_MS);
  let answer = await send();
  while (performance.now() + DEVICES_LIMITS.pressMs < untilMs && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, DEVICES_LIMITS.pressMs));
    // Meanwhile somebody has stopped it, or taken over: what moves is told that, not that it was done.
    answer = await send().catch((error: unknown) => {
      if (!(error instanceof ToolFault)) throw error;
      throw new ToolFault(error.code, `It was moving, and was stopped. ${error.message}`, error.errors);
    });
  }
  return answer;
}
