import assert from "node:assert/strict";
import type { Ack, DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { startSimulator } from "@backplane/simulators";
import type { Page } from "playwright-core";
import { OWNER } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { driverOf, type Workspaces } from "../support/workspaces.ts";

export const REPO = "soak";
const DEVICES = ["motor", "temperature", "pressure", "log", "sensor"] as const;
/** Columns of two panels each. */
const PANELS = [
  [
    ["sensor-monitor", { device: "sensor" }],
    ["sensor-monitor", { device: "motor", windowS: 600 }],
  ],
  [
    ["temperature-graph", { device: "temperature" }],
    ["temperature-graph", { device: "pressure", windowS: 600 }],
  ],
  [
    ["pressure-temperature", { device: "pressure" }],
    ["pressure-temperature", { device: "pressure", windowS: 600 }],
  ],
  [
    ["robot-log", { device: "log" }],
    ["robot-log", { device: "log", level: "warn" }],
  ],
  [
    ["motor", { device: "motor" }],
    ["motor", { device: "motor" }],
  ],
] as const;
/** A busy machine loses devices now and then. */
const PATIENCE_MS = 15 * 60_000;
/** The logs have none. */
const SHOWN_RATES = 8;

function callOf(workspaces: Workspaces) {
  const devices = `/api/workspaces/editor/${OWNER.name}/${REPO}/current/devices`;
  return (path: string, method = "GET", body?: object): Promise<Response> =>
    workspaces.owner.call(workspaces.pages, `${devices}${path}`, { method, ...(body ? { body } : {}) });
}

/** One of each kind, over real connections. */
export async function startDevices(workspaces: Workspaces): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const call = callOf(workspaces);
  for (const id of DEVICES) {
    const { key } = (await (await call("/keys", "POST", { name: id, device: id })).json()) as MadeDeviceKey;
    const { address } = (await (await call("/keys")).json()) as DeviceKeys;
    assert.ok(address);
    const simulator = startSimulator({ kind: id, url: address, key, id, name: id });
    stack.defer(() => simulator.close());
    await simulator.ready;
  }
  return stack.move();
}

/** Ten panels beside each other: all are seen at the same time. */
export async function openPanels(workspaces: Workspaces, page: Page): Promise<void> {
  const driver = driverOf(workspaces, workspaces.pages, REPO);
  let beside: string | undefined;
  for (const [[upper, upperState], [lower, lowerState]] of PANELS) {
    const { panelId } =
      beside === undefined
        ? await driver.open(upper, { initialState: upperState })
        : await driver
            .split(beside, upper, { initialState: upperState })
            .then(({ newPanelId }) => ({ panelId: newPanelId }));
    await driver.split(panelId, lower, { direction: "vertical", initialState: lowerState });
    beside = panelId;
  }
  await assertLive(page);
}

/** Panels show how often a value arrives, as long as it does. */
export async function assertLive(page: Page): Promise<void> {
  const rates = page.getByText(/^(\d+(\.\d)? Hz|every \d+ s)$/);
  const areShown = async () => (await rates.count()) >= SHOWN_RATES;
  await until(areShown, "every panel shows that values arrive", PATIENCE_MS);
}

/**
 * Moves the motor for a moment: control, its lines and its answers take memory too. False: it did not get there; a busy
 * machine may lose the device, or control of it.
 */
export async function driveMotor(workspaces: Workspaces): Promise<boolean> {
  const call = callOf(workspaces);
  const command = async (name: string, params: object) => {
    const answer = await call("/motor/motor/commands", "POST", { name, params });
    return answer.ok && ((await answer.json()) as Ack).ok;
  };
  for (const step of ["lease", "arm"]) if (!(await call(`/motor/${step}`, "PUT", {})).ok) return false;
  const isDone = (await command("velocity", { velocity_rad_s: 5 })) && (await command("idle", {}));
  await call("/motor/lease", "DELETE");
  return isDone;
}
