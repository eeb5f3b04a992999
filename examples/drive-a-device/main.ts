// npm run example drive-a-device: a simulated motor, driven by a program in TypeScript, one in Python, and an AI client.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openWorkspace } from "@backplane/sdk";
import { startSimulator } from "@backplane/simulators";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
// A stand-in for what you already have: the platform of a running Backplane.
import { OWNER, startPlatform } from "../../e2e/support/platform.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const spare = createServer().listen(0, "127.0.0.1");
await once(spare, "listening");
const { port } = spare.address() as AddressInfo;
spare.close();
await once(spare, "close");

await using platform = await startPlatform({ MQTT_PORT: String(port) });
const baseUrl = platform.pages;
const { name: owner, api_key: sessionToken } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
const { devices } = openWorkspace({ baseUrl, sessionToken, owner, repo: "main" });

// What `backplane simulate motor` does.
const { key } = await devices.makeKey({ name: "Simulator: motor", device: "sim-motor" });
const { address } = await devices.keys();
assert.ok(address);
const motor = startSimulator({ kind: "motor", id: "sim-motor", url: address, key });
await motor.ready;
const turned = () => motor.witnessed().filter(({ name }) => name === "velocity").length;

// What a person does on the account page: a key that is for devices alone.
const post = (path: string, body: object, cookie = "") =>
  fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl, cookie },
    body: JSON.stringify(body),
  });
const [cookie] = (await post("/auth/login", OWNER)).headers.getSetCookie();
const made = await post("/auth/api-keys", { name: "bench", scopes: ["devices:read", "devices:control"] }, cookie);
const { key: token } = (await made.json()) as { key: string };
const env = { ...process.env, BACKPLANE_TOKEN: token, WORKSPACE_OWNER: owner, PYTHONDONTWRITEBYTECODE: "1" };

try {
  for (const [command, program, more] of [
    [process.execPath, "program.ts", {}],
    ["python3", "program.py", { PYTHONPATH: here("../../clients/python") }],
  ] as const) {
    if (spawnSync(command, ["--version"]).error) {
      console.log(`${program} is left out: ${command} is not installed.`);
      continue;
    }
    const before = turned();
    // The motor lives in this process, which therefore must not stand still meanwhile.
    const { stdout } = await promisify(execFile)(command, [here(program), baseUrl], { env: { ...env, ...more } });
    assert.match(
      stdout,
      /Refused: .*\nIt turns: .*\nAs it happens: .*\n(?:Recorded \d{2,} samples\.\n)?Everything is stopped\.\n$/s,
    );
    assert.ok(turned() > before);
    console.log(`${program} drives the motor.`);
  }
  await driveByAgent();
} finally {
  await motor.close();
}

/** Over MCP, with a key that is for devices alone. */
async function driveByAgent(): Promise<void> {
  const client = new Client({ name: "agent", version: "1" });
  const url = new URL(`${baseUrl}/api/workspaces/editor/${owner}/main/current/mcp`);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError = false, content } = await client.callTool({ name, arguments: input });
    return { isError, text: (content as { text: string }[]).map(({ text }) => text).join("\n") };
  };
  const velocity = (params: object, more: object = {}) =>
    call("device_command", { device: "sim-motor", capability: "motor", name: "velocity", params, ...more });

  assert.match((await call("device_list")).text, /"id":"sim-motor"/);
  assert.match((await velocity({ velocity_rad_s: 20 })).text, /^not-held: .*device_take/);
  const take = () => call("device_take", { device: "sim-motor", arm: true });
  let taken = await take();
  // A device that was silent for a moment, as on a busy machine, is lost until it speaks again: an agent waits for that.
  for (let tries = 1; tries < 5 && taken.text.startsWith("device-lost"); tries += 1) {
    await call("device_wait", { device: "sim-motor", capability: "motor" });
    taken = await take();
  }
  assert.equal(taken.isError, false, taken.text);
  assert.match(
    (await velocity({ velocity_rad_s: 500 })).text,
    /^out-of-limits: .*\nparams\/velocity_rad_s .*-200.*200/s,
  );
  const before = turned();
  assert.match((await velocity({ velocity_rad_s: 20 }, { forMs: 500 })).text, /"ok":true/);
  assert.ok(turned() > before);
  assert.match((await call("device_stop")).text, /"sim-motor":\{"ok":true/);
  assert.match((await velocity({ velocity_rad_s: 20 })).text, /^stopped: /);
  assert.equal((await call("panel_layout")).isError, true, "this key is not for panels");
  await client.close();
  console.log("An AI client drives the motor.");
}
