import { after, before } from "node:test";
import type { StreamNow } from "@backplane/contract/devices";
import type { Browser, Locator, Page } from "playwright-core";
import { findFfmpeg } from "../../scripts/services/index.ts";
import { openBrowser, type Visit } from "./browser.ts";
import { keepPicture } from "./pictures.ts";
import { OWNER } from "./platform.ts";
import { descendantsOf } from "./processes.ts";
import {
  type Driver,
  driverOf,
  openPage,
  startWorkspaces,
  type WorkspaceEngine,
  type Workspaces,
} from "./workspaces.ts";

/** A browser at a workspace for cameras, and calls to its streams. */
export type CameraBench = AsyncDisposable & {
  browser: Browser;
  workspaces: Workspaces;
  seen: Visit;
  page: Page;
  driver: Driver;
  /** `path`: after the address of the workspace. `at`: another instance. */
  ask(method: string, path: string, body?: unknown, at?: string): Promise<Response>;
  streamNow(name: string): Promise<StreamNow>;
};

export const BENCH_SIZE = { viewport: { width: 900, height: 760 } };
export const streamsOf = (repo: string): string => `/api/workspaces/editor/${OWNER.name}/${repo}/current/streams`;

export async function openCameraBench(
  repo: string,
  engine: WorkspaceEngine = "one instance, embedded",
  settings: NodeJS.ProcessEnv = {},
): Promise<CameraBench> {
  await findFfmpeg();
  await using stack = new AsyncDisposableStack();
  const workspaces = stack.use(await startWorkspaces(engine, settings));
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const seen = stack.use(await openPage(browser, workspaces, repo, BENCH_SIZE));
  const driver = driverOf(workspaces, workspaces.pages, repo);
  const ask: CameraBench["ask"] = (method, path, body, at = workspaces.pages) =>
    workspaces.owner.call(at, `/api/workspaces/editor/${OWNER.name}/${repo}/current${path}`, { method, body });
  const kept = stack.move();
  return {
    ...{ browser, workspaces, seen, page: seen.page, driver, ask },
    streamNow: async (name) => (await (await ask("GET", `/streams/${name}`)).json()) as StreamNow,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Opens a bench before the tests of a file, and closes it after them. */
export function useCameraBench(
  open: () => Promise<CameraBench>,
  take: (bench: CameraBench) => void | Promise<void>,
): void {
  let bench: CameraBench | undefined;
  before(async () => {
    bench = await open();
    await take(bench);
  });
  after(() => bench?.[Symbol.asyncDispose]());
}

/** The ffmpeg of all platforms of this test. */
export const encoders = () => descendantsOf(process.pid).filter(({ command }) => command.startsWith("ffmpeg"));

/** Of a panel, for the guides. */
export const pictureOf = async (slot: Locator, name: string): Promise<void> =>
  keepPicture(slot.page(), `.slot[data-tab="${await slot.getAttribute("data-tab")}"] .panel-root`, name);

export const plays = (slot: Locator, via?: "whep" | "hls"): Promise<void> =>
  slot.locator(`.stream-panel[data-phase=playing]${via === undefined ? "" : `[data-via=${via}]`}`).waitFor();
