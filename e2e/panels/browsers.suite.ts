import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { until } from "../support/processes.ts";
import { connected, type Driver, driversOf } from "../support/workspaces.ts";
import { type BrowserBench, frameAt, slotOf } from "./bench.ts";

const RUNS = 6;

/** The sum of `hits` over all sandboxes of a page. */
async function hitsIn(page: Page): Promise<number> {
  const counts = await Promise.all(
    page.frames().map((frame) => frame.evaluate(() => (globalThis as { hits?: number }).hits ?? 0).catch(() => 0)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** No browser, and several browsers. */
export function testBrowsers(bench: () => BrowserBench): void {
  test("with no browser: eval is {status: queued}, refresh 409; stored state applies when one opens; code then runs in order", async () => {
    const { workspaces, site, windows } = bench();
    const drivers = driversOf(workspaces, "later");
    const driver = (at: number) => drivers[at % drivers.length] as Driver;
    const web = await driver(0).open("webview", { initialState: { url: `${site.url}/other` } });
    const { newPanelId } = await driver(1).split(web.panelId, "sandbox");
    const refused = await driver(1).webview({ panelId: web.panelId, action: "refresh" });
    assert.deepEqual([refused.status, refused.body.code], [409, "no-browser-session"]);
    const shot = await driver(0).screenshot({ panelId: newPanelId, method: "html2canvas" });
    assert.deepEqual([shot.status, shot.body.code], [409, "no-browser-session"]);
    const hide = await driver(0).webview({ panelId: web.panelId, action: "setHeaderHidden", hidden: true });
    assert.equal(hide.status, 204);
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const code = count === 2 ? "throw new Error('third')" : "globalThis.runs = (globalThis.runs ?? 0) + 1";
      const queued = await driver(count).eval(newPanelId, code);
      assert.equal(queued.status, "queued");
      ids.push("id" in queued ? queued.id : "");
    }
    assert.deepEqual(await driver(1).evalReport(ids[0] as string), { id: ids[0], status: "queued" });
    await until(async () => (await driver(1).sandboxReport(newPanelId)).queued === 4, "all four are queued");

    const seen = await windows.show(0, "later");
    await (await frameAt(seen.page, `${site.url}/other`)).getByRole("heading", { name: "Other" }).waitFor();
    assert.equal(await slotOf(seen.page, web.tabId).getByRole("textbox", { name: "Address" }).count(), 0);
    await until(async () => (await driver(0).evalReport(ids[3] as string)).status !== "queued", "the last one has run");
    const reports = await Promise.all(ids.map((id, at) => driver(at).evalReport(id)));
    assert.deepEqual(
      reports.map((report) => [report.status, "result" in report ? report.result : undefined]),
      [
        ["executed", 1],
        ["executed", 2],
        ["error", undefined],
        ["executed", 3],
      ],
    );
    assert.deepEqual(seen.complaints, []);
  });

  test("with two browsers, one answers and code runs once; both show the result; when the first closes, the other one answers", async () => {
    const { workspaces, site, windows } = bench();
    const drivers = driversOf(workspaces, "two");
    const driver = (at: number) => drivers[at % drivers.length] as Driver;
    const { panelId } = await driver(0).open("webview");
    const { newPanelId: sandbox } = await driver(0).split(panelId, "sandbox");
    const first = await windows.show(0, "two");
    const second = await windows.show(1, "two");
    // A window that reads the history after code has run draws what it drew, by running it again.
    const elsewhere = second.page.getByRole("heading", { name: "Code runs in another window" });
    await elsewhere.waitFor();
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
      await windows.close(0);
    }
    // Code that was sent to a window while it closed may have run or not: first the other one has to know that it answers.
    await elsewhere.waitFor({ state: "detached" });
    const result = await driver(1).eval(sandbox, "globalThis.hits = (globalThis.hits ?? 0) + 1");
    assert.deepEqual("result" in result && result.result, RUNS + 1, "it goes on from what ran in the first one");
    assert.equal(await hitsIn(second.page), RUNS + 1);
    const { body } = await driver(0).call("GET", `${driver(0).current}/probe`);
    assert.deepEqual([body.browser_connected, body.sharing], [true, false]);
    assert.deepEqual(second.complaints, []);
  });
}

/** Instances that die. */
export function testKilledInstance(bench: () => BrowserBench): void {
  test("kill -9 of the instance where the browser is connected: the page reconnects, and code runs again where it was", async () => {
    const { workspaces, windows } = bench();
    const { instances } = workspaces;
    const drivers = driversOf(workspaces, "killed");
    const { panelId } = await (drivers[0] as Driver).open("sandbox");
    const seen = await windows.show(1, "killed");
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
      }, "code runs again in the same frame");
      if (await wasLost()) break;
      // The browser was connected to the other instance, which is killed next.
      await instance.start();
    }
    assert.equal(await wasLost(), true);
  });
}

/** Several instances, one of which is stopped for a while. */
export function testStoppedInstance(bench: () => BrowserBench): void {
  test("while the browser's instance is stopped, the answer to eval and refresh is true: nothing runs later that was not announced", async () => {
    const { workspaces, site, windows } = bench();
    const { instances } = workspaces;
    const drivers = driversOf(workspaces, "stopped");
    const [first] = drivers as [Driver];
    const { panelId: web } = await first.open("webview", { initialState: { url: `${site.url}/plain?stopped` } });
    const { newPanelId: sandbox } = await first.split(web, "sandbox");
    const { page } = await windows.show(0, "stopped");
    await frameAt(page, `${site.url}/plain?stopped`);
    await first.eval(sandbox, "globalThis.ran = []");
    const answers: string[] = [];

    for (const [at, instance] of instances.entries()) {
      const other = drivers[(at + 1) % drivers.length] as Driver;
      const visits = site.visits("/plain");
      process.kill(instance.pid, "SIGSTOP");
      const [ran, refreshed] = await Promise.all([
        other.sandbox({ panelId: sandbox, action: "eval", code: `ran.push(${at})`, timeoutMs: 50 }),
        // It waits for 10 s.
        isLongRun ? other.webview({ panelId: web, action: "refresh" }) : undefined,
      ]).finally(() => process.kill(instance.pid, "SIGCONT"));
      answers.push(String(ran.body.status ?? ran.body.code));
      if (ran.body.status === "queued") {
        const isDone = async () => (await other.evalReport(String(ran.body.id))).status === "executed";
        await until(isDone, "what was queued has run");
      }
      // Answered only after everything that was held back.
      const counted = await Promise.all(
        drivers.map((driver) => driver.eval(sandbox, `ran.filter((n) => n === ${at}).length`)),
      );
      const runs = counted.map((count) => ("result" in count ? count.result : undefined));
      if (ran.body.code === "outcome-unknown") assert.ok(runs.every((count) => count === 0 || count === 1));
      else assert.deepEqual([ran.status, ...runs], [200, 1, 1]);
      assert.ok(["executed", "queued", "outcome-unknown"].includes(answers.at(-1) ?? ""), JSON.stringify(ran.body));
      if (!refreshed) continue;
      const reloads = site.visits("/plain") - visits;
      if (refreshed.status === 204) assert.equal(reloads, 1);
      else if (refreshed.body.code === "browser-timeout") assert.equal(reloads, 0);
      else assert.equal(refreshed.body.code, "outcome-unknown", JSON.stringify(refreshed.body));
    }
    assert.ok(
      answers.some((answer) => answer !== "executed"),
      "the browser was connected to one of them",
    );
  });
}
