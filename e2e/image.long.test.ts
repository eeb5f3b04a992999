// The image of hosting/Dockerfile: built by buildah on a base that is made here, and run by podman.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import { buildah, crun, findCommand, mmdebstrap, podman } from "../scripts/services/find-or-install.ts";
import { freePorts, machinePath, type Ports, PROCESS_NAMES, Program, portSettings, ROOT } from "./support/backplane.ts";
import { until } from "./support/processes.ts";

/** Podman asks for more open files and processes than a container in a container may have; crun would refuse that. */
const runtime = (real: string) => `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const after = (option) => process.argv[process.argv.indexOf(option, 2) + 1];
function withoutLimits(file, processOf) {
  const config = JSON.parse(readFileSync(file, "utf8"));
  delete processOf(config).rlimits;
  writeFileSync(file, JSON.stringify(config));
}
if (process.argv.includes("--bundle")) withoutLimits(after("--bundle") + "/config.json", (config) => config.process);
if (process.argv.includes("--process")) withoutLimits(after("--process"), (config) => config);
const { status } = require("node:child_process").spawnSync(${JSON.stringify(real)}, process.argv.slice(2), { stdio: "inherit" });
process.exitCode = status ?? 1;
`;

/** crun refuses a machine that has version 2 of control groups beside version 1; nothing here uses them. */
const WITHOUT_GROUPS = ["--mount", "sh", "-c", 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"', "sh"];

suite("the image", { skip: process.getuid?.() !== 0 && "only root can build it here" }, () => {
  // A short name: podman takes at most 50 characters for its runroot.
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  let command: string;
  let ports: Ports;
  let container: Program;

  const podmanArgs = (...args: string[]) => [
    ...[...WITHOUT_GROUPS, command, ...store, "--cgroup-manager", "cgroupfs", "--runtime", join(folder, "crun")],
    ...args,
  ];
  const inside = (...args: string[]) =>
    spawnSync("unshare", podmanArgs("exec", "backplane", ...args), { encoding: "utf8" });

  before(async () => {
    const [make, build, real] = await Promise.all([mmdebstrap, buildah, crun].map(findCommand));
    command = await findCommand(podman);
    writeFileSync(join(folder, "crun"), runtime(real ?? ""));
    chmodSync(join(folder, "crun"), 0o755);
    const run = (program = "", ...args: string[]) => execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    run(make, "--variant=minbase", "bookworm", join(folder, "base.tar"));
    run(command, ...store, "import", join(folder, "base.tar"), "localhost/base");
    execFileSync("npm", ["run", "pack"], { cwd: ROOT, env: { ...process.env, PATH: machinePath() } });
    const context = join(folder, "context");
    mkdirSync(context);
    copyFileSync(join(ROOT, `backplane-${VERSION}.tgz`), join(context, `backplane-${VERSION}.tgz`));
    const base = ["--pull-never", "--build-arg", "BASE=localhost/base", "--isolation", "chroot", "--network", "host"];
    const file = ["-f", join(ROOT, "hosting/Dockerfile"), "--format", "docker", "-t", "backplane:test"];
    run(build, ...store, "build", ...base, ...file, context);

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
    if (command !== undefined) spawnSync("unshare", podmanArgs("rm", "--force", "backplane"));
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
