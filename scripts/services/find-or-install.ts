import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { canInstall, install } from "./apt.ts";
import { dockerAnswers } from "./compose.ts";
import { debianPostgresFolders, findProgram } from "./on-path.ts";

export type Tool = {
  name: string;
  /** Environment variable with the path or address of an existing one. */
  variable: string;
  /** Names of the program, best first. */
  programs: readonly string[];
  alsoIn?: () => string[];
  debianPackages: readonly string[];
  composeService?: string;
  /** An older version is replaced by a newer one from apt-get, where that is possible. */
  oldestMajor?: number;
};

export type Found =
  | { from: "variable"; value: string }
  | { from: "program"; path: string }
  | { from: "compose"; service: string };

export const postgres: Tool = {
  name: "PostgreSQL",
  variable: "TEST_DATABASE_URL",
  programs: ["initdb"],
  alsoIn: debianPostgresFolders,
  debianPackages: ["postgresql"],
  composeService: "postgres",
};

export const redis: Tool = {
  name: "Redis",
  variable: "TEST_REDIS_URL",
  programs: ["redis-server", "valkey-server"],
  debianPackages: ["redis-server"],
  composeService: "redis",
};

export const mosquitto: Tool = {
  name: "Mosquitto",
  variable: "TEST_MQTT_URL",
  programs: ["mosquitto"],
  alsoIn: () => ["/usr/sbin"],
  debianPackages: ["mosquitto"],
  composeService: "mosquitto",
};

/** MQTT clients that share no code with ours. */
export const mosquittoClients: Tool = {
  name: "mosquitto_pub and mosquitto_sub",
  variable: "MOSQUITTO_PUB_PATH",
  programs: ["mosquitto_pub"],
  debianPackages: ["mosquitto-clients"],
};

/** The first version that keeps WebRTC in a sandbox from the network (`connection-allowlist`). */
const OLDEST_CHROMIUM = 152;

export const chromium: Tool = {
  name: "Chromium",
  variable: "CHROMIUM_PATH",
  programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  debianPackages: ["chromium", "fonts-liberation", "fonts-dejavu-core"],
  oldestMajor: OLDEST_CHROMIUM,
};

export const headlessShell: Tool = {
  name: "Chromium's headless shell",
  variable: "HEADLESS_SHELL_PATH",
  programs: ["chromium-headless-shell"],
  debianPackages: ["chromium-headless-shell", "fonts-liberation", "fonts-dejavu-core"],
  oldestMajor: OLDEST_CHROMIUM,
};

export const firefox: Tool = {
  name: "Firefox",
  variable: "FIREFOX_PATH",
  programs: ["firefox-esr", "firefox"],
  debianPackages: ["firefox-esr", "fonts-liberation", "fonts-dejavu-core"],
};

/** Makes and converts pictures of cameras. */
const ffmpeg: Tool = {
  name: "ffmpeg",
  variable: "FFMPEG_PATH",
  programs: ["ffmpeg"],
  debianPackages: ["ffmpeg"],
};

/** Relays packets of browsers that have no other way. */
const turnServer: Tool = {
  name: "coturn",
  variable: "TURNSERVER_PATH",
  programs: ["turnserver"],
  debianPackages: ["coturn"],
};

export const nginx: Tool = {
  name: "nginx",
  variable: "NGINX_PATH",
  programs: ["nginx"],
  alsoIn: () => ["/usr/sbin"],
  debianPackages: ["nginx-light"],
};

/** Checks the units that `backplane service install` writes. It need not run. */
export const systemd: Tool = {
  name: "systemd-analyze",
  variable: "SYSTEMD_ANALYZE_PATH",
  programs: ["systemd-analyze"],
  debianPackages: ["systemd"],
};

export const caddy: Tool = {
  name: "Caddy",
  variable: "CADDY_PATH",
  programs: ["caddy"],
  debianPackages: ["caddy"],
};

/** Starts a machine of its own from a copy of this one's disk. */
export const nspawn: Tool = {
  name: "systemd-nspawn",
  variable: "NSPAWN_PATH",
  programs: ["systemd-nspawn"],
  debianPackages: ["systemd-container"],
};

export const mmdebstrap: Tool = {
  name: "mmdebstrap",
  variable: "MMDEBSTRAP_PATH",
  programs: ["mmdebstrap"],
  debianPackages: ["mmdebstrap"],
};

export const buildah: Tool = {
  name: "buildah",
  variable: "BUILDAH_PATH",
  programs: ["buildah"],
  debianPackages: ["buildah"],
};

export const podman: Tool = {
  name: "podman",
  variable: "PODMAN_PATH",
  programs: ["podman"],
  debianPackages: ["podman", "crun"],
};

export const crun: Tool = {
  name: "crun",
  variable: "CRUN_PATH",
  programs: ["crun"],
  debianPackages: ["crun"],
};

export const dockerCompose: Tool = {
  name: "docker-compose",
  variable: "DOCKER_COMPOSE_PATH",
  programs: ["docker-compose"],
  debianPackages: ["docker-compose"],
};

/** Debian's; the tests of the client for Python run on it. */
export const python: Tool = {
  name: "Python",
  variable: "PYTHON_PATH",
  programs: ["python3.11", "python3"],
  debianPackages: ["python3"],
};

/** Debian's Python with an MQTT client, which shares no code with ours or with Mosquitto's. */
export async function findPythonWithPaho(): Promise<string> {
  const all = [process.env[python.variable], "/usr/bin/python3", findProgram(python.programs)];
  const find = () => all.find((path) => path && spawnSync(path, ["-c", "import paho.mqtt.client"]).status === 0);
  const debian = "python3-paho-mqtt";
  if (find() === undefined && canInstall()) await install([debian]);
  const found = find();
  if (found !== undefined) return found;
  throw new Error(
    `Python's paho-mqtt was not found. Install it (Debian: apt-get install ${debian}), or set ${python.variable} to a Python that has it.`,
  );
}

/** The path of a tool that must be on this machine. */
export const findFfmpeg = (): Promise<string> => findCommand(ffmpeg);
export const findTurnServer = (): Promise<string> => findCommand(turnServer);

export async function findCommand(tool: Tool): Promise<string> {
  const found = await findOrInstall(tool);
  if (found.from === "compose") throw new Error(`${tool.name} cannot come from compose.yaml.`);
  if (found.from === "program") return found.path;
  if (existsSync(found.value)) return found.value;
  throw new Error(`${tool.variable} names ${found.value}, which does not exist.`);
}

/** Given, else on this machine, else installed with apt-get, else from a Docker engine, else one clear sentence. */
export async function findOrInstall(tool: Tool): Promise<Found> {
  const given = process.env[tool.variable];
  if (given !== undefined && given !== "") return { from: "variable", value: given };
  const here = findProgram(tool.programs, tool.alsoIn?.());
  if (here !== undefined && !isTooOld(here, tool)) return { from: "program", path: here };

  const aptFault = await tryInstall(tool);
  const installed = findProgram(tool.programs, tool.alsoIn?.());
  if (installed !== undefined && !isTooOld(installed, tool)) return { from: "program", path: installed };
  if (tool.composeService !== undefined && dockerAnswers()) return { from: "compose", service: tool.composeService };
  const sentence = installed === undefined ? missing(tool) : tooOld(tool, installed);
  throw new Error(aptFault === undefined ? sentence : `${sentence}\n${aptFault}`);
}

/** A program that does not print its version counts as new enough. */
function isTooOld(path: string, { oldestMajor }: Tool): boolean {
  if (oldestMajor === undefined) return false;
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  const major = /\d+/.exec(stdout ?? "")?.[0];
  return major !== undefined && Number(major) < oldestMajor;
}

const tooOld = ({ name, oldestMajor, variable }: Tool, path: string): string =>
  `${path} is too old: the tests need ${name} ${oldestMajor} or later. Update it, or set ${variable} to a newer one.`;

async function tryInstall(tool: Tool): Promise<string | undefined> {
  if (!canInstall()) return undefined;
  try {
    await install(tool.debianPackages);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function missing(tool: Tool): string {
  const ways = [
    `set ${tool.variable}`,
    `install it so that ${tool.programs[0]} is on PATH (Debian: apt-get install ${tool.debianPackages[0]})`,
    tool.composeService === undefined ? "run the tests as root on Debian or Ubuntu" : "start a Docker engine",
  ];
  return `${tool.name} was not found. Three ways to provide it: ${ways.join("; ")}.`;
}
