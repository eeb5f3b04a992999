// Plain JavaScript: a clone asks this on the machine's own Node, before it installs or builds anything.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import * as util from "node:util";

/** The ports of a Backplane that is told no others. */
export const USUAL_PORTS = { PLATFORM_PORT: 8790, GATEWAY_PORT: 8795, WATCHDOG_PORT: 8796, VIEWER_PORT: 8770 };

const listOf = (items) => new Intl.ListFormat("en").format(items.map(String));

/** As a process says it: `portInUse` in packages/kit/src/process/port-in-use.ts. */
const portInUse = (setting, port) =>
  `Port ${port} is in use by another program. Stop that one, or set ${setting} to another port.`;

/**
 * One sentence about a Backplane of this account that has one of these ports, given by their settings; undefined if none has.
 * Each one leaves its addresses in ~/.backplane/running/: see running.ts.
 */
export function takenByOwn(ports, accountHome = homedir()) {
  const folder = join(accountHome, ".backplane", "running");
  for (const { pid, addresses } of existsSync(folder)
    ? readdirSync(folder).flatMap((name) => record(folder, name))
    : []) {
    const there = Object.keys(USUAL_PORTS).map((setting) => Number(addresses[setting]));
    const taken = Object.entries(ports).filter(([, port]) => there.includes(port));
    if (taken.length === 0 || !isAlive(pid)) continue;
    const [numbers, settings] = [listOf(taken.map(([, port]) => port)), listOf(taken.map(([setting]) => setting))];
    const isOne = taken.length === 1;
    return (
      `${isOne ? `Port ${numbers} is` : `Ports ${numbers} are`} in use by a Backplane that already runs: ${addresses.BASE_URL}, ` +
      `with its data in ${addresses.BACKPLANE_HOME}. Use that one, or stop it: Ctrl-C in its terminal, or kill ${pid}. ` +
      `To run a second one, set ${settings} to ${isOne ? "another port" : "other ports"}.`
    );
  }
  return undefined;
}

/** What prevents a start on these ports, before anything is installed. The viewer's may be handed over: `up` looks at it later. */
export async function takenPorts(environment, folder, accountHome = homedir()) {
  const given = { ...envFile(folder), ...environment };
  const portOf = (setting) => Number(given[setting]?.trim() || USUAL_PORTS[setting]);
  const ports = Object.fromEntries(Object.keys(USUAL_PORTS).map((setting) => [setting, portOf(setting)]));
  const faults = await Promise.all(
    ["PLATFORM_PORT", "GATEWAY_PORT", "WATCHDOG_PORT"].map(async (setting) =>
      (await isTaken(given.HOST?.trim() || "127.0.0.1", ports[setting]))
        ? [takenByOwn(ports, accountHome) ?? portInUse(setting, ports[setting])]
        : [],
    ),
  );
  return [...new Set(faults.flat())];
}

/** Wrong values are reported by `up`, with all other faults of the settings. */
function isTaken(host, port) {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return false;
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }) => resolve(code === "EADDRINUSE"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

function envFile(folder) {
  try {
    return util.parseEnv?.(readFileSync(join(folder, ".env"), "utf8")) ?? {};
  } catch {
    return {};
  }
}

function record(folder, name) {
  try {
    const { pid, addresses } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return Number.isInteger(pid) && pid > 0 && typeof addresses?.BACKPLANE_HOME === "string"
      ? [{ pid, addresses }]
      : [];
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    return kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
