import type { Browser, Frame, Page } from "playwright-core";
import { describeVisit, type Visit } from "../support/browser.ts";
import type { FramedSite } from "../support/framed-site.ts";
import { until } from "../support/processes.ts";
import type { Site } from "../support/site.ts";
import { type Driver, openPage, showWorkspace, type Workspaces } from "../support/workspaces.ts";

/** Numbered windows that tests share: opening one takes five times as long as showing another workspace in it. */
export type Windows = {
  show(at: number, repo: string): Promise<Visit>;
  close(at: number): Promise<void>;
  describe(): Promise<string[]>;
  closeAll(): Promise<void>;
};

export function createWindows(browser: Browser, workspaces: Workspaces): Windows {
  const windows = new Map<number, Visit>();
  const close = async (at: number) => {
    const seen = windows.get(at);
    windows.delete(at);
    await seen?.[Symbol.asyncDispose]();
  };
  return {
    async show(at, repo) {
      const open = windows.get(at);
      if (open) await showWorkspace(open, workspaces, repo);
      const seen = open ?? (await openPage(browser, workspaces, repo));
      windows.set(at, seen);
      return seen;
    },
    close,
    describe: () => Promise.all([...windows.values()].map(describeVisit)),
    async closeAll() {
      for (const at of [...windows.keys()]) await close(at);
    },
  };
}

/** For tests that open their own workspaces. */
export type BrowserBench = { workspaces: Workspaces; browser: Browser; site: Site; windows: Windows };

/** For tests with hostile code, sites and addresses; the proxy may connect to this machine. */
export type HostileBench = { workspaces: Workspaces; browser: Browser; site: FramedSite };

/** A workspace with a web view next to a sandbox, a window that shows it, and a driver per instance. */
export type Bench = {
  workspaces: Workspaces;
  site: Site;
  seen: Visit;
  page: Page;
  drivers: readonly Driver[];
  webview: string;
  webviewTab: string;
  sandbox: string;
  sandboxTab: string;
};

/** A frame of the page by the address that it shows. */
export async function frameAt(page: Page, address: string): Promise<Frame> {
  const find = () => page.frames().find((frame) => frame.url() === address);
  await until(find, `a frame at ${address}, not only ${page.frames().map((frame) => frame.url())}`);
  return find() as Frame;
}

/** The element of a tab in the page. */
export const slotOf = (page: Page, tabId: string) => page.locator(`.slot[data-tab="${tabId}"]`);

/** Without the error that Chromium logs for every sharing page on a machine without a camera. */
export const complaintsOf = ({ complaints }: Visit): string[] =>
  complaints.filter((each) => !each.includes("camera is not allowed"));
