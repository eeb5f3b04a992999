import type { Browser, Frame, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { Site } from "../support/site.ts";
import type { Driver, Workspaces } from "../support/workspaces.ts";

/** For tests that open their own workspaces. */
export type BrowserBench = { workspaces: Workspaces; browser: Browser; site: Site };

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
