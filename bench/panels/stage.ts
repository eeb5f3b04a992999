import { Agent, request } from "node:http";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { chromiumFlags, findChromium } from "../../scripts/services/index.ts";
import { BenchFault } from "../harness/fault.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import { OWNER, platform } from "../intents/contestants.ts";
import { signIn } from "../intents/sign-in.ts";
import { WINDOW } from "./limits.ts";

export type Called = { status: number; body: Record<string, never> };

/** A platform, and a browser in which its owner has a workspace open. */
export type Stage = AsyncDisposable & {
  page: Page;
  /** The same workspace in another browser. */
  openWindow(): Promise<Page>;
  url: string;
  server: RunningServer;
  call(method: string, path: string, body?: object): Promise<Called>;
};

const REPO = "bench";
export const CURRENT = `/api/workspaces/editor/${OWNER.name}/${REPO}/current`;
export const SANDBOX = `/api/panels/sandbox/${OWNER.name}/${REPO}`;

export async function openStage(label: string): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(platform(label)));
  // By the host name of frames, as browsers see it.
  const url = server.url.replace("127.0.0.1", "localhost");
  const cookie = await signIn(server.url);
  const agent = new Agent({ keepAlive: true });
  stack.defer(() => agent.destroy());
  const call = callerOf(server.url, cookie, agent);
  // A page asks before it creates a workspace; a call does not.
  await call("GET", CURRENT);

  const openWindow = async () => {
    const browser: Browser = await chromium.launch({
      executablePath: await findChromium(),
      args: [...chromiumFlags, "--auto-accept-this-tab-capture", "--screen-info={1600x1200}"],
    });
    kept.defer(() => browser.close());
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext({ viewport: WINDOW });
    await context.addCookies([{ name, value, domain: "localhost", path: "/", httpOnly: true, sameSite: "Strict" }]);
    const page = await context.newPage();
    await page.goto(`${url}/w/${OWNER.name}/${REPO}`);
    await page.locator("[data-connection=open]").first().waitFor({ state: "attached" });
    return page;
  };
  const kept = stack.move();
  try {
    const page = await openWindow();
    return { page, openWindow, url, server, call, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (error) {
    await kept.disposeAsync();
    throw error;
  }
}

/** Keeps its connection open, as a program's client does. */
export const callerOf =
  (url: string, cookie: string, agent: Agent): Stage["call"] =>
  (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const headers = { ...type, cookie, origin: url, "content-length": Buffer.byteLength(text) };
      const asked = request(`${url}${path}`, { method, agent, headers }, (response) => {
        let read = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          read += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: read === "" ? {} : JSON.parse(read) }),
        );
      });
      asked.on("error", reject);
      asked.end(text);
    });

/** Opens a sandbox as a panel and waits until code runs in it. */
export async function openSandbox({ call }: Stage, beside?: string): Promise<string> {
  const place = beside === undefined ? {} : { panelId: beside, direction: "horizontal" };
  const made = await call("POST", `${CURRENT}/${beside === undefined ? "tabs" : "splits"}`, {
    panelType: "sandbox",
    ...place,
  });
  if (made.status !== 201) throw new BenchFault(`No sandbox was opened: ${made.status}.`);
  const panelId: string = made.body.newPanelId ?? made.body.panelId ?? "";
  for (let tries = 0; tries < 50; tries++) {
    const { body } = await call("PATCH", SANDBOX, { panelId, action: "eval", code: "1" });
    if (body.status === "executed") return panelId;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new BenchFault("The sandbox did not come up.");
}

/** The frame that the code runs in, as Playwright sees it. */
export function codeFrame(page: Page): Frame {
  const frame = page.frames().find((one) => /\/\/s-.*\/run/.test(one.url()));
  if (!frame) throw new BenchFault("Playwright sees no frame of a sandbox.");
  return frame;
}
