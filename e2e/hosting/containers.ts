import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@backplane/kit/version";
import { buildah, crun, findCommand, mmdebstrap, podman } from "../../scripts/services/find-or-install.ts";
import { machinePath, ROOT } from "../support/backplane.ts";

/** Podman asks for more open files and processes than a container in a container may have; crun would refuse that. */
const runtime = (real: string) => `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const after = (option) => process.argv[process.argv.indexOf(option, 2) + 1];
function withoutLimits(file, processOf) {
  const config = JSON.parse(readFileSync(file, "utf8"));
  delete processOf(config).rlimits;
  if (config.linux) delete config.linux.resources;
  writeFileSync(file, JSON.stringify(config));
}
if (process.argv.includes("--bundle")) withoutLimits(after("--bundle") + "/config.json", (config) => config.process);
if (process.argv.includes("--process")) withoutLimits(after("--process"), (config) => config);
const { status } = require("node:child_process").spawnSync(${JSON.stringify(real)}, process.argv.slice(2), { stdio: "inherit" });
process.exitCode = status ?? 1;
`;

/** crun refuses a machine that has version 2 of control groups beside version 1; nothing here uses them. */
const WITHOUT_GROUPS = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"';

export type Containers = {
  /** Arguments of `unshare` that become podman, with a store of its own. */
  podman: readonly string[];
  /** Debian with these packages, as an image. */
  makeBase(name: string, ...packages: string[]): void;
  /** The image of hosting/Dockerfile, from this source. */
  buildImage(base: string, tag: string): void;
};

/** Images and containers in a folder of their own. Podman takes at most 50 characters for its name. */
export async function openContainers(folder: string, driver: "vfs" | "overlay"): Promise<Containers> {
  const [make = "", build = "", real = ""] = await Promise.all([mmdebstrap, buildah, crun].map(findCommand));
  const command = await findCommand(podman);
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run"), "--storage-driver", driver];
  writeFileSync(join(folder, "crun"), runtime(real));
  chmodSync(join(folder, "crun"), 0o755);
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  return {
    podman: [
      ...["--mount", "sh", "-c", WITHOUT_GROUPS, "sh", command, ...store],
      ...["--cgroup-manager", "cgroupfs", "--runtime", join(folder, "crun")],
    ],
    makeBase(name, ...packages) {
      const archive = join(folder, `${name}.tar`);
      const include = packages.length > 0 ? [`--include=${packages.join()}`] : [];
      run(make, "--variant=minbase", ...include, "bookworm", archive);
      run(command, ...store, "import", archive, `localhost/${name}`);
    },
    buildImage(base, tag) {
      execFileSync("npm", ["run", "pack"], { cwd: ROOT, env: { ...process.env, PATH: machinePath() } });
      const context = join(folder, "context");
      mkdirSync(context);
      copyFileSync(join(ROOT, `backplane-${VERSION}.tgz`), join(context, `backplane-${VERSION}.tgz`));
      const from = [
        "--pull-never",
        "--build-arg",
        `BASE=localhost/${base}`,
        "--isolation",
        "chroot",
        "--network",
        "host",
      ];
      const file = ["-f", join(ROOT, "hosting/Dockerfile"), "--format", "docker", "-t", tag];
      run(build, ...store, "build", ...from, ...file, context);
    },
  };
}
