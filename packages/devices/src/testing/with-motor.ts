import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Devices } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { openAreaForTest } from "./area.ts";
import { HomieDevice } from "./homie-device.ts";

/** The whole area, with one motor that is ready. */
export async function openWithMotor(t: TestContext) {
  const under = await openAreaForTest(t, { name: "one process" });
  const key = await under.deviceKey({ device: "motor-1" });
  const url = under.first.area.address();
  assert.ok(url);
  const motor = await HomieDevice.connect(t, { url, key });
  await until("the motor is ready", async () => (await under.json<Devices>("")).devices[0]?.state === "ready");
  return { ...under, key, mqttUrl: url, motor };
}
