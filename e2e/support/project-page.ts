import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../../scripts/services/index.ts";
import { CLI, Program, plainEnvironment, ROOT } from "./backplane.ts";
import { openBrowser, type Visit } from "./browser.ts";
import { OWNER } from "./platform.ts";
import { driverOf, openPage, startWorkspaces, type Workspaces } from "./workspaces.ts";

/** One window on a workspace, for panels that work on the files of its project. */
export type ProjectPage = AsyncDisposable & {
  browser: Browser;
  workspaces: Workspaces;
  seen: Visit;
  page: Page;
  driver(): ReturnType<typeof driverOf>;
  /** Writes a file, which is a new one unless the headers say otherwise. */
  put(path: string, content: string, condition?: Record<string, string>): Promise<void>;
};

export async function openProject(repo: string): Promise<ProjectPage> {
  await using stack = new AsyncDisposableStack();
  const env = { MQTT_PORT: String(await freePort()) };
  const workspaces = stack.use(await startWorkspaces("one instance, embedded", env));
  const browser = stack.adopt(await openBrowser(), (opened) => opened.close());
  const seen = stack.use(await openPage(browser, workspaces, repo, { viewport: { width: 1200, height: 800 } }));
  const driver = () => driverOf(workspaces, workspaces.pages, repo);
  const kept = stack.move();
  return {
    ...{ browser, workspaces, seen, page: seen.page, driver },
    async put(path, content, condition = { "if-none-match": "*" }) {
      const headers = { ...condition, "content-type": "application/octet-stream" };
      const { status } = await driver().call("PUT", `${driver().current}/files/${path}`, content, headers);
      assert.ok(status >= 200 && status < 300, `${path}: ${status}`);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A simulated motor in a process of its own, once it is connected. */
export async function startMotor({ pages, owner }: Workspaces, repo: string): Promise<Program> {
  const body = { name: "simulators", scopes: ["read", "panels", "devices:read", "devices:control"] };
  const made = await owner.call(pages, "/auth/api-keys", { method: "POST", body });
  const { key } = (await made.json()) as { key: string };
  const env = { ...plainEnvironment(), BASE_URL: pages, BACKPLANE_TOKEN: key };
  const args = [CLI, "simulate", "motor", "--workspace", `${OWNER.name}/${repo}`];
  const program = new Program(process.execPath, args, { cwd: ROOT, env });
  await program.prints(/Ctrl-C ends it/);
  return program;
}
