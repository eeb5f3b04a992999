import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Ack, Devices, LastValue } from "@backplane/contract/devices";
import { findPythonWithPaho } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../testing/area.ts";

test("a device in Python, by paho: it is shown, measures, does what it is told, is lost when it is killed", async (t) => {
  const python = await findPythonWithPaho();
  const { json, call, deviceKey, first } = await openAreaForTest(t, { name: "one process" });
  const key = await deviceKey({ device: "heater" });
  const program = fileURLToPath(new URL("../testing/paho_device.py", import.meta.url));
  const start = (password: string) => {
    const { hostname, port } = new URL(first.area.address() as string);
    const child = spawn(python, [program, hostname, port, "heater", password]);
    t.after(() => child.kill("SIGKILL"));
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    return { child, said: () => said };
  };
  const stranger = start(`${key.slice(0, -1)}?`);
  await until("a wrong key is refused", () => stranger.said().includes("connected 4"));
  const heater = start(key);
  const stateOf = async () => (await json<Devices>("")).devices.find(({ id }) => id === "heater")?.state;
  await until("it is ready", async () => (await stateOf()) === "ready");
  await until("it measures", async () => (await call("GET", "/heater/heat")).status === 200);
  assert.deepEqual((await json<LastValue>("/heater/heat")).fields, { temperature_c: 21.5 });
  const told = await call("POST", "/heater/thermostat/commands", { body: { name: "target", params: { value: 60 } } });
  const { ok, reached } = (await told.json()) as Ack;
  assert.deepEqual([told.status, ok, reached, heater.said()], [200, true, undefined, "connected 0\ntold 60\n"]);
  const refused = await call("POST", "/heater/thermostat/commands", {
    body: { name: "target", params: { value: 99 } },
  });
  assert.deepEqual([refused.status, heater.said()], [422, "connected 0\ntold 60\n"]);
  heater.child.kill("SIGKILL");
  await until("its last will is heard", async () => (await stateOf()) === "lost");
});
