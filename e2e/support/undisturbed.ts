import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Workspaces } from "./workspaces.ts";

/** Dialogs, downloads and windows that somebody at the page would notice, from now on. */
export function noteDisturbances(page: Page): string[] {
  const disturbances: string[] = [];
  page.on("dialog", (dialog) => {
    disturbances.push(`dialog ${dialog.type()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("download", (download) => disturbances.push(`download ${download.url()}`));
  page.context().on("page", (opened) => disturbances.push(`window ${opened.url()}`));
  return disturbances;
}

/** The page is at this address, connected, undisturbed, and has the cookie of its owner and no other. */
export async function assertUndisturbed(
  page: Page,
  { pages, owner }: Pick<Workspaces, "pages" | "owner">,
  { address, disturbances, what }: { address: string; disturbances: readonly string[]; what: string },
): Promise<void> {
  assert.equal(page.url(), address, what);
  assert.equal(await page.locator("[data-connection=open]").count(), 1, what);
  assert.deepEqual(disturbances, [], what);
  const cookies = await page.context().cookies(pages);
  assert.deepEqual(
    cookies.map(({ name, value }) => `${name}=${value}`),
    [owner.cookie],
    what,
  );
}
