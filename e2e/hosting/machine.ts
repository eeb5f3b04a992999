import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findCommand, nspawn } from "../../scripts/services/find-or-install.ts";
import { machinePath } from "../support/backplane.ts";
import { descendantsOf, until } from "../support/processes.ts";

/** A machine of its own: systemd, network, and a copy of this machine's disk that is gone afterwards. */
export type Machine = AsyncDisposable & {
  /** Pastes lines into a shell of root, in a folder that has only what was given. Returns all output; throws if it fails. */
  paste(lines: string): string;
};

const START_FOLDER = "/root/start";
/** Of this machine's services those that an empty machine would not have. */
const OTHERS = "nginx caddy postgresql redis-server mosquitto";

/** What is tried, where nobody else sees it. */
const NEEDED = "mount -t tmpfs tmpfs /mnt; ip link add try type bridge";
const TAKEN = /^10\.0\.0\.0\/24 /m;

/** Why no machine can be started here; false if one can. */
export function noMachines(): string | false {
  if (process.getuid?.() !== 0) return "only root can start machines";
  try {
    execFileSync("unshare", ["--mount", "--net", "sh", "-e", "-c", NEEDED], { stdio: "ignore" });
  } catch {
    return "this system does not let the test mount a disk and make a network";
  }
  const isTaken = TAKEN.test(execFileSync("ip", ["route"], { encoding: "utf8" }));
  return isTaken ? "this machine is in a network 10.0.0.0/24, as the machines of the guide are" : false;
}

/** A network of machines that this one is in, too, at 10.0.0.1. */
export type Network = Disposable & { bridge: string };

export function startNetwork(): Network {
  const bridge = `bp${process.pid}`;
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
  ip("link", "add", bridge, "type", "bridge");
  const remove = () => ip("link", "delete", bridge);
  try {
    ip("address", "add", "10.0.0.1/24", "dev", bridge);
    ip("link", "set", bridge, "up");
  } catch (error) {
    remove();
    throw error;
  }
  return { bridge, [Symbol.dispose]: remove };
}

type MachineOptions = {
  network: Network;
  address: string;
  /** Files for the folder where everything is pasted. */
  given?: readonly string[];
  /** More options of systemd-nspawn. */
  options?: readonly string[];
};

export async function startMachine(
  name: string,
  { network, address, given = [], options = [] }: MachineOptions,
): Promise<Machine> {
  const command = await findCommand(nspawn);
  const folder = mkdtempSync(join(tmpdir(), `backplane-machine-${name}-`));
  const binds = given.map((file) => `--bind-ro=${file}:${START_FOLDER}/${basename(file)}`);
  const alone = ["--boot", "--quiet", "--register=no", "--keep-unit", "--link-journal=no"];
  const script = `mount -t tmpfs -o size=4g,mode=755 tmpfs ${folder}
mkdir ${folder}/upper ${folder}/work ${folder}/root
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/work ${folder}/root
echo ${name} > ${folder}/root/etc/hostname
exec "$@"`;
  const args = ["--mount", "--propagation", "private", "sh", "-e", "-c", script, "sh"];
  const machine = [
    ...[command, "-D", `${folder}/root`, `--machine=${name}`, `--network-bridge=${network.bridge}`],
    ...[...alone, ...binds, ...options],
  ];
  const outer = spawn("unshare", [...args, ...machine], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [outer.stdout, outer.stderr]) stream.on("data", (piece) => (said += piece));
  let init: number | undefined;
  const dispose = () => stop(outer, init, folder);
  try {
    await until(() => {
      if (outer.exitCode !== null) throw new Error(`The machine did not start:\n${said}`);
      init = descendantsOf(outer.pid ?? 0).find(({ command: each }) => /^\S*(systemd|init)( |$)/.test(each))?.pid;
      return init !== undefined && isBooted(init);
    }, "the machine has started");
    enter(init ?? 0, [
      "sh",
      "-e",
      "-c",
      `ip address add ${address}/24 dev host0; ip link set host0 up; ip link set lo up`,
    ]);
    const paste = (lines: string) =>
      enter(init ?? 0, ["sh", "-e", "-c", `mkdir -p ${START_FOLDER}; cd ${START_FOLDER}\n${lines}`]);
    paste(`systemctl stop ${OTHERS} 2>/dev/null || true`);
    return { paste, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function isBooted(init: number): boolean {
  try {
    // "degraded": some unit of this machine's disk does not work in a container.
    return /^(running|degraded)/.test(enter(init, ["sh", "-c", "systemctl is-system-running || true"]));
  } catch {
    return false;
  }
}

const enter = (pid: number, command: readonly string[]): string =>
  execFileSync("nsenter", ["--target", String(pid), "--mount", "--uts", "--ipc", "--net", "--pid", ...command], {
    env: { PATH: machinePath(), HOME: "/root", DEBIAN_FRONTEND: "noninteractive" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

async function stop(outer: ChildProcess, init: number | undefined, folder: string): Promise<void> {
  if (outer.exitCode === null) {
    const ended = new Promise((resolve) => outer.once("close", resolve));
    // With its first process the machine ends, and then what has started it; the other way round it would go on.
    if (init === undefined) outer.kill("SIGKILL");
    else process.kill(init, "SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}
