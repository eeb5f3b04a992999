import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings } from "@backplane/kit/settings";
import { portInUse } from "@backplane/kit/supervise";
import { homeFault, homeFaultLeavingNothing, portFault, preflight } from "./preflight.ts";
import { takenPorts, USUAL_PORTS } from "./taken-ports.js";

test("a folder that can be created is fine and left empty; a file in its place is reported", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "preflight-"));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(homeFault(join(folder, "a", "b")), undefined);
  assert.deepEqual(readdirSync(join(folder, "a", "b")), ["logs"]);
  writeFileSync(join(folder, "file"), "");
  assert.match(
    homeFault(join(folder, "file")) ?? "",
    /^Cannot write to BACKPLANE_HOME, .*: it is a file, not a folder\./,
  );
  assert.match(homeFault(join(folder, "file", "home")) ?? "", /: part of the path is a file/);
});

test("a trial that leaves nothing removes what it made, and nothing else", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "preflight-"));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(homeFaultLeavingNothing(join(folder, "a", "b")), undefined);
  assert.deepEqual(readdirSync(folder), []);
  mkdirSync(join(folder, "home"));
  assert.equal(homeFaultLeavingNothing(join(folder, "home")), undefined);
  writeFileSync(join(folder, "file"), "");
  assert.match(homeFaultLeavingNothing(join(folder, "file", "home")) ?? "", /: part of the path is a file/);
  assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), ["file", "home"]);
});

test("a free port is fine; for a used one the message names the setting to change", async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  assert.match((await portFault("viewer", "127.0.0.1", port)) ?? "", /in use by another program.*VIEWER_PORT/);
  server.close();
  await once(server, "close");
  assert.equal(await portFault("viewer", "127.0.0.1", port), undefined);
});

test("all ports in use are reported together, each with the setting to change", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "preflight-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const names = ["PLATFORM_PORT", "GATEWAY_PORT", "WATCHDOG_PORT", "VIEWER_PORT"];
  const ports = await Promise.all(
    names.map(async () => {
      const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
      t.after(() => server.close());
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    }),
  );
  const settings = Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
  assert.deepEqual(
    await preflight(readSettings(settings, folder)),
    names.map(
      (name, index) =>
        `Port ${ports[index]} is in use by another program. Stop that one, or set ${name} to another port.`,
    ),
  );
});

test("ports of a Backplane that already runs are one sentence, with its address, its data and what to do", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "preflight-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const port = String((server.address() as AddressInfo).port);
  const running = join(folder, ".backplane/running");
  mkdirSync(running, { recursive: true });
  const addresses = { PLATFORM_PORT: port, BASE_URL: "http://localhost:1", BACKPLANE_HOME: "/srv/lab" };
  const leave = (pid: number) => writeFileSync(join(running, "one.json"), JSON.stringify({ pid, addresses }));
  leave(process.pid);
  const sentence =
    `Port ${port} is in use by a Backplane that already runs: http://localhost:1, with its data in /srv/lab. Use that one, or ` +
    `stop it: Ctrl-C in its terminal, or kill ${process.pid}. To run a second one, set PLATFORM_PORT to another port.`;
  const [gateway, watchdog, viewer] = [3, 4, 5].map((more) => String(20_000 + ((Number(port) + more) % 10_000)));
  const given = { PLATFORM_PORT: port, GATEWAY_PORT: gateway, WATCHDOG_PORT: watchdog, VIEWER_PORT: viewer };
  assert.ok((await preflight(readSettings(given, folder), folder)).includes(sentence));
  // A clone asks before it installs, also for what .env says.
  writeFileSync(join(folder, ".env"), `PLATFORM_PORT=${port}\n`);
  const { PLATFORM_PORT: _, ...others } = given;
  assert.ok((await takenPorts(others, folder, folder)).includes(sentence));
  leave(2 ** 22 + 1);
  assert.ok((await takenPorts(others, folder, folder)).includes(portInUse("platform", Number(port))));
});

test("a clone knows the usual ports before anything is installed", () => {
  const { platformPort, gatewayPort, watchdogPort, viewerPort } = readSettings({}, "/");
  assert.deepEqual(Object.values(USUAL_PORTS), [platformPort, gatewayPort, watchdogPort, viewerPort]);
});

test("an address that this machine does not have is reported", async () => {
  assert.match(
    (await portFault("viewer", "192.0.2.1", 8_770)) ?? "",
    /HOST 192\.0\.2\.1 is not an address of this machine/,
  );
});

test("a missing project folder is reported before anything starts", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "preflight-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const faults = await preflight(readSettings({ VIEWER_PROJECT: "nowhere", HOST: "127.0.0.1" }, folder));
  assert.ok(
    faults.some((fault) => /^VIEWER_PROJECT .*nowhere, which is not a folder\. Create it/.test(fault)),
    faults.join("\n"),
  );
});
