import { SIMULATED_KINDS } from "@backplane/simulators";
import { CLI, Program, plainEnvironment, ROOT } from "./backplane.ts";
import { OWNER } from "./platform.ts";
import type { Workspaces } from "./workspaces.ts";

/** The panel of a simulator, where it does not have its name. */
const PANEL_OF: Readonly<Record<string, string>> = {
  temperature: "temperature-graph",
  pressure: "pressure-temperature",
  sensor: "sensor-monitor",
  log: "robot-log",
  oven: "oven-data",
  power: "workcell-power",
};
/** Every panel that shows a device, and its device of `backplane simulate all`. */
export const ALL_PANELS: readonly { panel: string; device: string }[] = SIMULATED_KINDS.map(({ kind }) => ({
  panel: PANEL_OF[kind] ?? kind,
  device: `sim-${kind}`,
}));

/** An API key that also has these scopes. */
export async function keyWith({ owner, pages }: Workspaces, ...more: string[]): Promise<string> {
  const body = { name: `key ${more.join()}`, scopes: ["read", "panels", "devices:read", ...more] };
  const made = await owner.call(pages, "/auth/api-keys", { method: "POST", body });
  return ((await made.json()) as { key: string }).key;
}

/** `backplane simulate all` in a workspace of the owner: a process of its own, with one device of each kind. */
export const startSimulateAll = (workspaces: Workspaces, repo: string): Promise<Program> =>
  startSimulate(workspaces, repo, "all");

/** `more`: options, such as a fault. */
export async function startSimulate(
  workspaces: Workspaces,
  repo: string,
  kind: string,
  ...more: string[]
): Promise<Program> {
  const key = await keyWith(workspaces, "devices:control");
  const env = { ...plainEnvironment(), BASE_URL: workspaces.pages, BACKPLANE_TOKEN: key };
  const args = [CLI, "simulate", kind, "--workspace", `${OWNER.name}/${repo}`, ...more];
  const program = new Program(process.execPath, args, { cwd: ROOT, env });
  try {
    await program.prints(/Ctrl-C ends it/);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  return program;
}
