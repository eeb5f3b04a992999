import type { Browser, Frame, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { Site } from "../support/site.ts";
import type { Driver, Workspaces } from "../support/workspaces.ts";

/** What tests need that open workspaces of their own. */
export type BrowserBench = { workspaces: Workspaces; browser: Browser; site: Site };

/** A workspace with a web view beside a sandbox, a window that shows it, and the calls at each instance. */
export type Bench = {
  workspaces: Workspaces;
  site: Site;
  seen: Visit;
  page: Page;
  drivers: readonly Driver[];
  /** The panels, each with the tab that it shows. */
  webview: string;
  webviewTab: string;
  sandbox: string;
  sandboxTab: string;
};

/** A frame of the page by the address that it shows. */
export async function frameAt(page: Page, address: string): Promise<Frame> {
  const find = () => page.frames().find((frame) => frame.url() === address);
  await until(find, `a frame at ${address}, beside ${page.frames().map((frame) => frame.url())}`);
  return find() as Frame;
}

/** The element of a tab in the page. */
export const slotOf = (page: Page, tabId: string) => page.locator(`.slot[data-tab="${tabId}"]`);

/** What Chromium says of every page that shares and has no camera. */
export const complaintsOf = ({ complaints }: Visit): string[] =>
  complaints.filter((each) => !each.includes("camera is not allowed"));
