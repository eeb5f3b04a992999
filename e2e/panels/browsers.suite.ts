import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/processes.ts";
import { connected, type Driver, driversOf, openPage } from "../support/workspaces.ts";
import { type Bench, frameAt } from "./bench.ts";

const RUNS = 6;

/** What code has counted in the sandboxes of a page. */
async function hitsIn(page: Page): Promise<number> {
  const counts = await Promise.all(
    page.frames().map((frame) => frame.evaluate(() => (globalThis as { hits?: number }).hits ?? 0).catch(() => 0)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Several browsers, and instances that die. */
export function testBrowsers(bench: () => Bench): void {
  test("of two browsers one answers and code runs once; both show the result; when the first closes, the other one answers", async () => {
    const { workspaces, browser, site } = bench();
    const drivers = driversOf(workspaces, "two");
    const driver = (at: number) => drivers[at % drivers.length] as Driver;
    const { panelId } = await driver(0).open("webview");
    const { newPanelId: sandbox } = await driver(0).split(panelId, "sandbox");
    const first = await openPage(browser, workspaces, "two");
    await using second = await openPage(browser, workspaces, "two");
    try {
      for (let count = 1; count <= RUNS; count += 1) {
        const result = await driver(count).eval(sandbox, "globalThis.hits = (globalThis.hits ?? 0) + 1");
        assert.deepEqual("result" in result && result.result, count);
      }
      assert.deepEqual([await hitsIn(first.page), await hitsIn(second.page)], [RUNS, 0]);
      await driver(1).webview({ panelId, action: "navigate", url: `${site.url}/plain?two` });
      for (const { page } of [first, second]) await frameAt(page, `${site.url}/plain?two`);
      const before = site.visits("/plain");
      assert.equal((await driver(0).webview({ panelId, action: "refresh" })).status, 204);
      assert.equal(site.visits("/plain"), before + 1);
      assert.deepEqual(first.complaints, []);
    } finally {
      await first[Symbol.asyncDispose]();
    }
    await until(async () => {
      const result = await driver(1).eval(sandbox, "globalThis.hits = (globalThis.hits ?? 0) + 1");
      return result.status === "executed";
    }, "the other one answers");
    assert.equal(await hitsIn(second.page), 1);
    const { body } = await driver(0).call("GET", `${driver(0).current}/probe`);
    assert.deepEqual([body.browser_connected, body.sharing], [true, false]);
    assert.deepEqual(second.complaints, []);
  });

  test("kill -9 of the instance where the browser is connected: the page reconnects, and code runs again where it was", async () => {
    const { workspaces, browser } = bench();
    const { instances } = workspaces;
    const drivers = driversOf(workspaces, "killed");
    const { panelId } = await (drivers[0] as Driver).open("sandbox");
    await using seen = await openPage(browser, workspaces, "killed");
    await (drivers[0] as Driver).eval(panelId, "let kept = 'still here'");
    const lost = seen.page.locator("[data-connection=lost]");
    await seen.page.evaluate(() => {
      const root = document.querySelector("[data-connection]") as HTMLElement;
      new MutationObserver(() => {
        if (root.dataset.connection === "lost") document.body.dataset.wasLost = "true";
      }).observe(root, { attributes: true });
    });
    const wasLost = () => seen.page.evaluate(() => document.body.dataset.wasLost === "true");

    for (const [at, instance] of instances.entries()) {
      await instance.kill("SIGKILL");
      const other = instances.length > 1 ? (drivers[(at + 1) % drivers.length] as Driver) : (drivers[0] as Driver);
      if (instances.length === 1) {
        await lost.waitFor({ state: "attached" });
        await instance.start();
      }
      await connected(seen.page);
      await until(async () => {
        const result = await other.eval(panelId, "kept").catch(() => undefined);
        return result?.status === "executed" && result.result === "still here";
      }, "code runs again, in the frame that was there");
      if (await wasLost()) break;
      // It was connected to the other one, which is next.
      await instance.start();
    }
    assert.equal(await wasLost(), true);
  });
}
