import { CLI, Program, plainEnvironment, ROOT } from "./backplane.ts";
import { OWNER } from "./platform.ts";
import type { Workspaces } from "./workspaces.ts";

/** An API key that also has these scopes. */
export async function keyWith({ owner, pages }: Workspaces, ...more: string[]): Promise<string> {
  const body = { name: `key ${more.join()}`, scopes: ["read", "panels", "devices:read", ...more] };
  const made = await owner.call(pages, "/auth/api-keys", { method: "POST", body });
  return ((await made.json()) as { key: string }).key;
}

/** `backplane simulate all` in a workspace of the owner: a process of its own, with one device of each kind. */
export async function startSimulateAll(workspaces: Workspaces, repo: string): Promise<Program> {
  const key = await keyWith(workspaces, "devices:control");
  const env = { ...plainEnvironment(), BASE_URL: workspaces.pages, BACKPLANE_TOKEN: key };
  const args = [CLI, "simulate", "all", "--workspace", `${OWNER.name}/${repo}`];
  const program = new Program(process.execPath, args, { cwd: ROOT, env });
  try {
    await program.prints(/Ctrl-C ends it/);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  return program;
}
