import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  CatalogPanel,
  EvalReport,
  EvalResult,
  Layout,
  LayoutNode,
  Leaf,
  ListedTab,
  SandboxJournal,
  SandboxReport,
  WebviewReport,
} from "@backplane/contract/panels";
import type { Browser, Page } from "playwright-core";
import { createTestDatabase, findChromium, freePort, startRedis } from "../../scripts/services/index.ts";
import { launch, type Visit, visit } from "./browser.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { type Person, signedInWindow, signInAs } from "./person.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./platform.ts";

export type Workspaces = AsyncDisposable & {
  /** Where people open pages: the process, or the load balancer in front of several. */
  pages: string;
  /** The individual instances, so that a call can go to one that the browser is not connected to. */
  instances: readonly RunningPlatform[];
  apiKey: string;
  owner: Person;
  /** The folder of the owner's projects. */
  projects: string;
};

export const WORKSPACE_ENGINES = ["one instance, embedded", "two instances over PostgreSQL and Redis"] as const;
export type WorkspaceEngine = (typeof WORKSPACE_ENGINES)[number];

export async function startWorkspaces(engine: WorkspaceEngine, more: NodeJS.ProcessEnv = {}): Promise<Workspaces> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "backplane-projects-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const env = { ...more, PROJECTS_FOLDER: folder };
  const { pages, instances } =
    engine === "one instance, embedded" ? await startOne(stack, env) : await startTwo(stack, env);
  const owner = await signInAs(pages);
  const { id } = (await (await owner.call(pages, "/user")).json()) as { id: string };
  const projects = join(folder, `@${id}`);
  const body = { name: "bench-agent", scopes: ["read", "panels"] };
  const made = await owner.call(pages, "/auth/api-keys", { method: "POST", body });
  const { key } = (await made.json()) as { key: string };
  assert.match(key, /^bpk_/);
  const kept = stack.move();
  return { pages, instances, apiKey: key, owner, projects, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

type Started = { pages: string; instances: RunningPlatform[] };

async function startOne(stack: AsyncDisposableStack, env: NodeJS.ProcessEnv): Promise<Started> {
  const platform = stack.use(await startPlatform(env));
  return { pages: platform.pages, instances: [platform] };
}

async function startTwo(stack: AsyncDisposableStack, more: NodeJS.ProcessEnv): Promise<Started> {
  const [database, redis] = await Promise.all([createTestDatabase(), startRedis()]);
  for (const service of [database, redis]) stack.use(service);
  const ports = [await freePort(), await freePort()];
  const balancer = stack.use(await startLoadBalancer(ports));
  const pages = balancer.url.replace("127.0.0.1", "localhost");
  const env = { ...more, BASE_URL: pages, DATABASE_URL: database.url, REDIS_URL: redis.url };
  const started = await Promise.allSettled(ports.map((port) => startPlatform({ ...env, PLATFORM_PORT: String(port) })));
  const instances = started.flatMap((each) => (each.status === "fulfilled" ? [stack.use(each.value)] : []));
  const failed = started.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
  return { pages, instances };
}

/** A Chromium that shares its own tab when a page asks, as if the user had agreed. */
export async function openSharingBrowser(): Promise<Browser> {
  const sharing = ["--auto-accept-this-tab-capture", "--screen-info={1600x1200}", "--window-size=1400,1000"];
  return launch(await findChromium(), ...sharing);
}

export type Called = { status: number; body: Record<string, unknown>; headers: Headers; bytes: Buffer };

/** A program's API calls for one workspace, sent to the given instance. */
export function driverOf({ apiKey }: Pick<Workspaces, "apiKey">, at: string, repo: string, owner: string = OWNER.name) {
  const current = `/api/workspaces/editor/${owner}/${repo}/current`;
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Called> {
    const response = await fetch(`${at}${path}`, {
      method,
      headers: {
        "x-api-key": apiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return {
      ...{ status: response.status, headers: response.headers, bytes },
      body: isJson ? JSON.parse(bytes.toString("utf8")) : {},
    };
  }
  const layout = async () => (await call("GET", current)).body as unknown as Layout;
  let kinds: Promise<Map<string, string>> | undefined;
  const catalog = async () => (await call("GET", "/api/panels/catalog")).body.panels as CatalogPanel[];
  return {
    current,
    call,
    layout,
    tabs: async () => (await call("GET", `${current}/tabs`)).body.tabs as ListedTab[],
    leaves: async () => leavesOf((await layout()).root),
    catalog,
    /** The kind of each panel type. It never changes, so it is read once. */
    kinds: (): Promise<Map<string, string>> => {
      kinds ??= catalog().then((panels) => new Map(panels.map(({ identifier, kind }) => [identifier, kind])));
      return kinds;
    },
    webview: (body: unknown) => call("PATCH", `/api/panels/webview/${owner}/${repo}`, body),
    sandbox: (body: unknown) => call("PATCH", `/api/panels/sandbox/${owner}/${repo}`, body),
    webviewReport: async (panelId: string) =>
      (await call("GET", `/api/panels/webview/${owner}/${repo}?panelId=${panelId}`)).body as unknown as WebviewReport,
    sandboxReport: async (panelId: string) =>
      (await call("GET", `/api/panels/sandbox/${owner}/${repo}?panelId=${panelId}`)).body as unknown as SandboxReport,
    journal: async (panelId: string) =>
      (await call("GET", `/api/panels/sandbox/${owner}/${repo}/journal?panelId=${panelId}`))
        .body as unknown as SandboxJournal,
    evalReport: async (id: string) =>
      (await call("GET", `/api/panels/sandbox/${owner}/${repo}/evals/${id}`)).body as unknown as EvalReport,
    async eval(panelId: string, code: string, more: object = {}): Promise<EvalResult> {
      const answer = await call("PATCH", `/api/panels/sandbox/${owner}/${repo}`, {
        panelId,
        action: "eval",
        code,
        ...more,
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body as unknown as EvalResult;
    },
    screenshot: (body: unknown, headers: Record<string, string> = {}) =>
      call("PATCH", `${current}/screenshot`, body, headers),
    async open(panelType: string, more: object = {}): Promise<{ tabId: string; panelId: string }> {
      const answer = await call("POST", `${current}/tabs`, { panelType, ...more });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body as { tabId: string; panelId: string };
    },
    async split(panelId: string, panelType: string, more: object = {}) {
      const answer = await call("POST", `${current}/splits`, { panelId, panelType, direction: "horizontal", ...more });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body as { newPanelId: string; panelId: string; tabId: string };
    },
  };
}
export type Driver = ReturnType<typeof driverOf>;

/** One driver per instance. */
export const driversOf = (workspaces: Workspaces, repo: string): Driver[] =>
  workspaces.instances.map(({ url }) => driverOf(workspaces, url, repo));

export const leavesOf = (node: LayoutNode): Leaf[] =>
  node.type === "leaf" ? [node] : [...leavesOf(node.first), ...leavesOf(node.second)];

/** Opens the workspace as the owner and waits until the page is connected. */
export async function openPage(
  browser: Browser,
  workspaces: Pick<Workspaces, "pages" | "owner">,
  repo: string,
  options = {},
): Promise<Visit> {
  const seen = await visit(browser, { ...signedInWindow(workspaces.owner), ...options });
  await showWorkspace(seen, workspaces, repo);
  return seen;
}

/** Shows another workspace in an open window: a fifth of the cost of a new one. */
export async function showWorkspace(
  seen: Visit,
  { pages, owner }: Pick<Workspaces, "pages" | "owner">,
  repo: string,
): Promise<void> {
  seen.complaints.length = 0;
  // A page asks before it creates a workspace; a call does not.
  await owner.call(pages, `/api/workspaces/editor/${OWNER.name}/${repo}/current`);
  await seen.page.goto(`${pages}/w/${OWNER.name}/${repo}`);
  await connected(seen.page);
}

export const connected = (page: Page): Promise<void> =>
  page.locator("[data-connection=open]").first().waitFor({ state: "attached" });
