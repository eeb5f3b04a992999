// npm run example drive-a-device/program [BASE_URL]: turns the simulated motor of your workspace "main" and stops it. It
// needs `backplane simulate motor`, and BACKPLANE_TOKEN: an API key with the scopes devices:read and devices:control.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace } from "@backplane/sdk";

const [baseUrl = "http://localhost:8790"] = process.argv.slice(2);
const { BACKPLANE_TOKEN: sessionToken = "", WORKSPACE_OWNER: owner = "owner" } = process.env;
const { devices } = openWorkspace({ baseUrl, sessionToken, owner, repo: "main" });

const { fields } = await devices.wait("sim-motor", "motor");
console.log(`The motor stands: ${fields.velocity_rad_s} rad/s, ${fields.motor_c} °C`);

await devices.take("sim-motor");
await devices.arm("sim-motor");
await assert.rejects(devices.command("sim-motor", "motor", "velocity", { velocity_rad_s: 500 }), (error: unknown) => {
  assert.ok(error instanceof Error && "faults" in error && "problemCode" in error);
  assert.equal(error.problemCode, "out-of-limits");
  assert.match(JSON.stringify(error.faults), /params\/velocity_rad_s.*-200.*200/);
  console.log(`Refused: ${error.message}`);
  return true;
});

const fast = devices.wait("sim-motor", "motor", { field: "velocity_rad_s", above: 18, timeoutMs: 30_000 });
const isThere = fast.then(() => true);
// What moves stops 300 ms after the last command.
do await devices.command("sim-motor", "motor", "velocity", { velocity_rad_s: 20 });
while (!(await Promise.race([isThere, sleep(100, false)])));
const { reached, fields: turning } = await fast;
assert.ok(reached);
console.log(`It turns: ${turning.velocity_rad_s} rad/s`);

for await (const event of devices.events({ device: "sim-motor" })) {
  if (event.type !== "values") continue;
  console.log(`As it happens: ${event.fields.position_rad?.at(-1)} rad`);
  break;
}

assert.deepEqual(Object.keys((await devices.stop()).devices), ["sim-motor"]);
const stopped = await devices.wait("sim-motor", "motor", { field: "velocity_rad_s", below: 5, timeoutMs: 30_000 });
assert.ok(stopped.reached);
await assert.rejects(devices.command("sim-motor", "motor", "velocity", { velocity_rad_s: 1 }), {
  problemCode: "stopped",
});
console.log("Everything is stopped.");
await devices.take("sim-motor");
await devices.clearStop();
await devices.leave("sim-motor");
