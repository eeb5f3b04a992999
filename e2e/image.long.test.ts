// The image of hosting/Dockerfile: built by buildah on a base that is made here, and run by podman.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type Containers, openContainers } from "./hosting/containers.ts";
import { freePorts, type Ports, PROCESS_NAMES, Program, portSettings } from "./support/backplane.ts";
import { until } from "./support/processes.ts";

suite("the image", { skip: process.getuid?.() !== 0 && "only root can build it here" }, () => {
  // A short name: podman takes at most 50 characters for its runroot.
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  let containers: Containers;
  let ports: Ports;
  let container: Program;

  const podmanArgs = (...args: string[]) => [...containers.podman, ...args];
  const inside = (...args: string[]) =>
    spawnSync("unshare", podmanArgs("exec", "backplane", ...args), { encoding: "utf8" });

  before(async () => {
    containers = await openContainers(folder, "vfs");
    containers.makeBase("base");
    containers.buildImage("base", "backplane:test");
    ports = await freePorts();
    const env = Object.entries(portSettings(ports)).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const bounds = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges"];
    // Podman's own timer for health checks needs systemd; the check is run below.
    const here = ["--network", "host", "--cgroups", "disabled", "--no-healthcheck", "--pull", "never"];
    const args = podmanArgs("run", "--rm", "--name", "backplane", ...here, ...bounds, ...env, "backplane:test");
    container = new Program("unshare", args, { cwd: folder, env: process.env });
    await container.prints(/Everything .*is running/);
  });
  after(async () => {
    await container?.[Symbol.asyncDispose]();
    if (containers !== undefined) spawnSync("unshare", podmanArgs("rm", "--force", "backplane"));
    rmSync(folder, { recursive: true, force: true });
  });

  test("all processes are ready, on a read-only disk, and so says the health check", async () => {
    for (const name of PROCESS_NAMES) {
      await until(async () => (await fetch(`http://127.0.0.1:${ports[name]}/ready`)).status === 200, name);
    }
    const check = inside("node", "/opt/backplane/app/hosting/ready.mjs");
    assert.equal(check.status, 0, check.stderr);
    const other = inside("env", ...unusedPorts(), "node", "/opt/backplane/app/hosting/ready.mjs");
    assert.equal(other.status, 1, "nothing runs on these ports");
  });

  test("it runs as a user without rights, who can change nothing but the state", () => {
    assert.equal(inside("id", "-u").stdout.trim(), "10001");
    for (const path of ["/opt/backplane/x", "/etc/x", "/usr/bin/x"]) {
      assert.equal(inside("touch", path).status, 1, path);
    }
    assert.equal(inside("touch", "/var/lib/backplane/x").status, 0);
    assert.equal(inside("grep", "CapEff", "/proc/1/status").stdout.split("\t")[1]?.trim(), "0".repeat(16));
  });

  test("it has no development packages, no compiler and no package manager for Node", () => {
    for (const path of ["/opt/backplane/app/node_modules/typescript", "/usr/bin/gcc", "/usr/bin/npm"]) {
      assert.equal(inside("test", "-e", path).status, 1, path);
    }
  });

  test("it stops when it is asked to", async () => {
    assert.equal(spawnSync("unshare", podmanArgs("stop", "--time", "30", "backplane")).status, 0);
    assert.equal(await container.ended(), 0, container.output);
  });
});

const unusedPorts = (): string[] =>
  PROCESS_NAMES.map((name, place) => `${name.toUpperCase()}_PORT=${String(1 + place)}`);
