import assert from "node:assert/strict";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Browser, Locator, Page } from "playwright-core";
import { freePort } from "../../scripts/services/index.ts";
import { slotOf } from "../panels/bench.ts";
import { openBrowser, type Visit } from "./browser.ts";
import { OWNER } from "./platform.ts";
import { type Driver, driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./workspaces.ts";

export type OpenTab = { page: Page; slot: Locator; tabId: string };

/** A workspace for devices, and one page that shows it. */
export type InstrumentPage = AsyncDisposable & {
  browser: Browser;
  workspaces: Workspaces;
  seen: Visit;
  driver: Driver;
  /** A call of the owner, below the address of the workspace. */
  call<Answer>(rest: string, method?: string, body?: unknown): Promise<Answer>;
  /** A key of its own for a device, and where it connects. */
  keyFor(id: string): Promise<{ url: string; key: string; id: string }>;
  /** Opens a panel in a tab, in front. */
  open(panel: string, initialState: JsonObject): Promise<OpenTab>;
};

export async function startInstrumentPage(repo: string, options: object = {}): Promise<InstrumentPage> {
  await using stack = new AsyncDisposableStack();
  const browser = stack.use(await openBrowser());
  const workspaces = stack.use(
    await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) }),
  );
  const driver = driverOf(workspaces, workspaces.pages, repo);
  const seen = stack.use(await openPage(browser, workspaces, repo, options));
  const { page } = seen;

  async function call<Answer>(rest: string, method = "GET", body?: unknown): Promise<Answer> {
    const path = `/api/workspaces/editor/${OWNER.name}/${repo}/current${rest}`;
    const sent = { method, ...(body === undefined ? {} : { body }) };
    const answer = await workspaces.owner.call(workspaces.pages, path, sent);
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json().catch(() => undefined)) as Answer;
  }
  const kept = stack.move();
  return {
    ...{ browser, workspaces, seen, driver, call },
    async keyFor(id) {
      const { key } = await call<MadeDeviceKey>("/devices/keys", "POST", { name: id, device: id });
      const { address } = await call<DeviceKeys>("/devices/keys");
      assert.ok(address);
      return { url: address, key, id };
    },
    async open(panel, initialState) {
      // A test before may have left the page.
      if (!page.url().endsWith(`/w/${OWNER.name}/${repo}`)) await showWorkspace(seen, workspaces, repo);
      // A tab does not come to the front while somebody types in another one.
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      const { tabId } = await driver.open(panel, { initialState });
      return { page, slot: slotOf(page, tabId), tabId };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
