import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Program, plainEnvironment } from "./backplane.ts";
import { until } from "./processes.ts";
import type { Noted, SimulatedDevicesOptions } from "./simulated-devices-process.ts";

const PROGRAM = fileURLToPath(new URL("simulated-devices-process.ts", import.meta.url));

export type SimulatedDevices = AsyncDisposable & {
  /** What the devices noted so far. */
  noted(): readonly Noted[];
  /** The same, when everything until now is in it. */
  notedByNow(): Promise<readonly Noted[]>;
};

/** A motor and a fast sensor, in a process of their own. */
export function startSimulatedDevices(options: SimulatedDevicesOptions): SimulatedDevices {
  const folder = mkdtempSync(join(tmpdir(), "simulated-devices-"));
  const env = plainEnvironment();
  const program = new Program(process.execPath, [PROGRAM, JSON.stringify(options)], { cwd: folder, env });
  const noted: Noted[] = [];
  let readTo = 0;

  function read(): readonly Noted[] {
    if (program.child.exitCode !== null) throw new Error(`The devices have ended:\n${program.output.slice(readTo)}`);
    const end = program.output.lastIndexOf("\n");
    for (const line of program.output.slice(readTo, Math.max(readTo, end)).split("\n"))
      if (line !== "") noted.push(JSON.parse(line) as Noted);
    readTo = Math.max(readTo, end);
    return noted;
  }

  return {
    noted: read,
    async notedByNow() {
      const nowMs = Date.now();
      const aliveMs = () => read().findLast(({ what }) => what === "alive")?.atMs ?? 0;
      await until(() => aliveMs() >= nowMs, "the devices note what happens");
      return noted;
    },
    async [Symbol.asyncDispose]() {
      await program.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
