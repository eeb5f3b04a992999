import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Capability, DEVICES_LIMITS, type DeviceSettings } from "@backplane/contract/devices";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { Aedes } from "aedes";
import mqtt from "mqtt";
import { until } from "../../../../scripts/testing/until.ts";
import { type ControlOptions, openControl } from "../authority/control.ts";
import { createStops } from "../authority/stops.ts";
import { migrations } from "../migrations.ts";
import type { DevicesTables } from "../tables.ts";
import { connectMotor } from "./motor.ts";
import { createSmallModel } from "./small-model.ts";
import { openSmallReader } from "./small-reader.ts";

/** A database, a broker, and control of what connects to it: all of it real. */
export async function openWorkbench(t: TestContext, given: { ackMs?: number } = {}) {
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const home = mkdtempSync(join(tmpdir(), "devices-"));
  ends.push(() => rmSync(home, { recursive: true }));
  const database = await openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
  ends.push(() => database.close());
  await migrate(database as Database<unknown>, migrations, () => 1);

  const broker = await Aedes.createBroker();
  const server = createServer(broker.handle).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ends.push(async () => {
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    server.close();
  });

  /** Stands still until the test moves it: whatever the machine does meanwhile, nobody has let go. */
  const clock = { ms: 1_000 };
  const settings = new Map<string, Partial<DeviceSettings>>();
  const stops = createStops(database);

  /** One process that has this workspace; `close` ends it in order, `vanish` as if it was killed. */
  async function openHub(other: Partial<ControlOptions> = {}) {
    const lines: string[] = [];
    const faults: unknown[] = [];
    let isKilled = false;
    const client = await mqtt.connectAsync(url, { reconnectPeriod: 0 });
    const model = createSmallModel();
    const reader = await openSmallReader(client, model, given.ackMs ?? DEVICES_LIMITS.ackMs);
    const control = await openControl({
      workspaceId: "bench",
      model,
      readerOf: () => reader,
      settings: {
        of: (device) => ({ latch: false, kept: [], limits: {}, ...settings.get(device) }),
        close: async () => {},
      },
      stops,
      note: (_level, message) => lines.push(message),
      now: Date.now,
      steady: () => clock.ms,
      onFault: (error) => void (isKilled || faults.push(error)),
      ...other,
    });
    const disconnect = () => new Promise<void>((resolve) => client.end(true, {}, () => resolve()));
    ends.push(async () => {
      await control.close();
      await disconnect();
      assert.deepEqual(faults, []);
    });
    const isReady = (id: string) => until(`${id} is ready`, () => model.device(id)?.state === "ready");
    const vanish = () => {
      isKilled = true;
      return disconnect();
    };
    return { control, model, lines, faults, isReady, vanish };
  }

  async function addMotor(id: string, more: readonly Capability[] = []) {
    const motor = await connectMotor(url, id, more);
    ends.push(() => motor.end());
    return motor;
  }

  return { database, stops, settings, clock, ends, url, openHub, addMotor };
}
