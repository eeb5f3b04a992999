import assert from "node:assert/strict";
import type { Ack, DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { startSimulator } from "@backplane/simulators";
import type { Page } from "playwright-core";
import { OWNER } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { ALL_PANELS, startSimulateAll } from "../support/simulate-all.ts";
import { driverOf, type Workspaces } from "../support/workspaces.ts";

export const REPO = "soak";

type OpenPanel = readonly [kind: string, state: object];

/** What is seen at the same time: columns of panels, each with a device. */
export type Bench = {
  columns: readonly (readonly OpenPanel[])[];
  /** The device that is moved now and then. */
  motor: string;
  start(workspaces: Workspaces): Promise<AsyncDisposable>;
};

const DEVICES = ["motor", "temperature", "pressure", "log", "sensor"] as const;
/** Ten panels of five devices: panels that plot, twice each. */
const ten: Bench = {
  motor: "motor",
  columns: [
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
  ],
  /** One of each kind, over real connections. */
  async start(workspaces) {
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
  },
};

const COLUMNS = 7;
/** Every panel that shows a device, each with its simulator of `backplane simulate all`. */
const all: Bench = {
  motor: "sim-motor",
  columns: inColumns(ALL_PANELS.map(({ panel, device }) => [panel, { device }])),
  start: (workspaces) => startSimulateAll(workspaces, REPO),
};

function inColumns(panels: readonly OpenPanel[]): OpenPanel[][] {
  return Array.from({ length: COLUMNS }, (_, column) => panels.filter((_each, place) => place % COLUMNS === column));
}

export const BENCHES: Readonly<Record<string, Bench>> = { ten, all };

/** A busy machine loses devices now and then. */
const PATIENCE_MS = 15 * 60_000;

function callOf(workspaces: Workspaces) {
  const devices = `/api/workspaces/editor/${OWNER.name}/${REPO}/current/devices`;
  return (path: string, method = "GET", body?: object): Promise<Response> =>
    workspaces.owner.call(workspaces.pages, `${devices}${path}`, { method, ...(body ? { body } : {}) });
}

/** Beside and below each other, all of the same size: all are seen at the same time. Their tabs, in the order of columns. */
export async function openPanels({ columns }: Bench, workspaces: Workspaces, page: Page): Promise<string[]> {
  const driver = driverOf(workspaces, workspaces.pages, REPO);
  const tabs = new Map<OpenPanel, string>();
  const split = async (from: string, panel: OpenPanel, direction: string, parts: number) => {
    const [kind, initialState] = panel;
    const { newPanelId, tabId } = await driver.split(from, kind, { direction, initialState, ratio: 1 / parts });
    tabs.set(panel, tabId);
    return newPanelId;
  };
  const tops: string[] = [];
  for (const [place, [first]] of columns.entries()) {
    const beside = tops.at(-1);
    if (!first) continue;
    const [kind, initialState] = first;
    if (beside === undefined) {
      const { panelId, tabId } = await driver.open(kind, { initialState });
      tabs.set(first, tabId);
      tops.push(panelId);
    } else tops.push(await split(beside, first, "horizontal", columns.length - place + 1));
  }
  for (const [place, [, ...below]] of columns.entries()) {
    let above = tops[place] ?? "";
    for (const [under, panel] of below.entries())
      above = await split(above, panel, "vertical", below.length - under + 1);
  }
  await assertLive({ columns }, page);
  return columns.flat().map((panel) => tabs.get(panel) ?? "");
}

/** Panels show how often a value arrives, as long as it does. The logs have none. */
export async function assertLive({ columns }: Pick<Bench, "columns">, page: Page): Promise<void> {
  const shown = columns.flat().filter(([kind]) => kind !== "robot-log");
  const rates = page.locator(".device-age", { hasText: /^(\d+(\.\d)? Hz|every \d+ s|\d+ of \d+ lamps answer)/ });
  const areShown = async () => (await rates.count()) >= shown.length;
  await until(areShown, "every panel shows that values arrive", PATIENCE_MS);
}

/**
 * Moves the motor for a moment: control, its lines and its answers take memory too. False: it did not get there; a busy
 * machine may lose the device, or control of it.
 */
export async function driveMotor({ motor }: Bench, workspaces: Workspaces): Promise<boolean> {
  const call = callOf(workspaces);
  const command = async (name: string, params: object) => {
    const answer = await call(`/${motor}/motor/commands`, "POST", { name, params });
    return answer.ok && ((await answer.json()) as Ack).ok;
  };
  for (const step of ["lease", "arm"]) if (!(await call(`/${motor}/${step}`, "PUT", {})).ok) return false;
  const isDone = (await command("velocity", { velocity_rad_s: 5 })) && (await command("idle", {}));
  await call(`/${motor}/lease`, "DELETE");
  return isDone;
}
