import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "playwright-core";
import { clickInFrame } from "../support/mouse.ts";
import { until } from "../support/processes.ts";
import { type Bench, frameAt } from "./bench.ts";

/** One test per row of the table of web view actions. */
export function testWebview(bench: () => Bench): void {
  const address = () => bench().page.getByRole("textbox", { name: "Address" });
  const empty = { status: 204, text: "" };
  const act = async (at: number, body: object) => {
    const { drivers, webview } = bench();
    const { status, bytes } = await (drivers[at] as Bench["drivers"][number]).webview({ panelId: webview, ...body });
    return { status, text: bytes.toString() };
  };

  test("navigate: load the URL in the frame; every action returns 204 No Content", async () => {
    const { drivers, site, page, webview } = bench();
    for (const [at, driver] of drivers.entries()) {
      const url = `${site.url}/plain?at=${at}`;
      assert.deepEqual(await act(at, { action: "navigate", url }), empty);
      await (await frameAt(page, url)).getByRole("heading", { name: "Plain" }).waitFor();
      await until(async () => (await address().inputValue()) === url, "the bar shows the address");
      await until(async () => (await driver.webviewReport(webview)).loading === false, "it is loaded");
      const { url: shown, live, fault } = await driver.webviewReport(webview);
      assert.deepEqual([shown, live, fault], [url, true, null]);
    }
    await page
      .getByRole("tab", { name: /driven by bench-agent/ })
      .first()
      .waitFor();
  });

  test("refresh: reload the current page; 204 when it is loaded", async () => {
    const { drivers, site } = bench();
    for (const at of drivers.keys()) {
      const before = site.visits("/plain");
      assert.deepEqual(await act(at, { action: "refresh" }), empty);
      assert.equal(site.visits("/plain"), before + 1);
    }
  });

  test("setHeaderHidden: show or hide the address bar; 204", async () => {
    const { drivers, webview } = bench();
    for (const [at, driver] of drivers.entries()) {
      for (const hidden of [true, false]) {
        assert.deepEqual(await act(at, { action: "setHeaderHidden", hidden }), empty);
        await address().waitFor({ state: hidden ? "detached" : "visible" });
        assert.equal((await driver.webviewReport(webview)).headerHidden, hidden);
      }
    }
  });

  test("setProxyEnabled: toggle proxy mode (navigation and scroll tracking); helps with sites that forbid framing; 204", async () => {
    const { drivers, site, page, webview, seen } = bench();
    const [driver] = drivers as [Bench["drivers"][number]];
    const report = () => driver.webviewReport(webview);
    const proxied = () => page.frames().filter((frame) => /^http:\/\/w-[a-z0-9-]+\.localhost/.test(frame.url()));
    const go = (path: string) => act(drivers.length - 1, { action: "navigate", url: `${site.url}${path}` });

    await go("/unframed");
    const isUnframed = (complaint: string) => complaint.includes("frame-ancestors");
    await until(async () => (await report()).fault !== null, "the report says why nothing is shown");
    await page.getByRole("button", { name: "Load it through the proxy" }).waitFor();
    for (const at of drivers.keys()) {
      assert.deepEqual(await act(at, { action: "setProxyEnabled", enabled: false }), empty);
      assert.deepEqual(await act(at, { action: "setProxyEnabled", enabled: true }), empty);
    }
    await until(async () => (await report()).title === "Not to be framed", "it is framed and reports its title");
    assert.equal((await report()).proxyEnabled, true);
    await page.getByRole("switch", { name: "Proxy", checked: true }).waitFor();
    await proxied()[0]?.getByRole("heading", { name: "Not to be framed" }).waitFor();

    await go("/moved");
    await until(async () => (await report()).url === `${site.url}/plain?from=moved`, "a redirect is reported");
    await go("/parts");
    const works = "module cookie:part=md340 echo:ping hidden";
    await until(async () => (await report()).title === works, "cookies, modules, requests and sockets work");
    await clickInFrame(page, (proxied()[0] as Frame).getByRole("link", { name: "On" }));
    await until(async () => (await report()).url === `${site.url}/plain?from=link`, "navigation is tracked");
    await until(async () => (await driver.tabs())[0]?.panelState.url === `${site.url}/plain?from=link`, "and stored");

    await go("/tall");
    await until(async () => (await report()).title === "Tall", "the page has loaded");
    await proxied()[0]?.evaluate(() => scrollTo(0, 1_234));
    await until(async () => (await report()).scroll?.y === 1_234, "scrolling is tracked");
    assert.ok(((await report()).scroll?.height ?? 0) >= 4_000);

    assert.deepEqual(await act(0, { action: "setProxyEnabled", enabled: false }), empty);
    await frameAt(page, `${site.url}/tall`);
    await until(() => proxied().length === 0, "no proxied frame is left");
    assert.deepEqual(
      seen.complaints.filter((each) => !isUnframed(each)),
      [],
    );
    seen.complaints.length = 0;
  });

  test("windows and downloads open where the tab allows them, directly and through the proxy", async () => {
    const { drivers, site, page, webviewTab, seen } = bench();
    const [driver] = drivers as [Bench["drivers"][number]];
    const set = async (panelState: object) => {
      const { status } = await driver.call("PATCH", `${driver.current}/tabs`, { tabId: webviewTab, panelState });
      assert.equal(status, 200);
    };
    const url = `${site.url}/away`;
    await set({ popups: true, downloads: true });
    for (const enabled of [false, true]) {
      assert.deepEqual(await act(0, { action: "setProxyEnabled", enabled }), empty);
      // The proxy loads the same page again; a second load meanwhile would replace the frame that is clicked.
      if (!enabled) assert.deepEqual(await act(0, { action: "navigate", url }), empty);
      const shown = () =>
        page.frames().find((frame) => (enabled ? /^http:\/\/w-.*\/away$/.test(frame.url()) : frame.url() === url));
      await until(shown, "the page is shown");
      const opening = page.context().waitForEvent("page");
      await clickInFrame(page, (shown() as Frame).getByRole("link", { name: "Window" }));
      const opened = await opening;
      await opened.waitForURL(`${site.url}/other`);
      await opened.close();
      const saving = page.waitForEvent("download");
      await clickInFrame(page, (shown() as Frame).getByRole("link", { name: "File" }));
      assert.equal((await saving).suggestedFilename(), "a.txt");
    }
    await set({ popups: null, downloads: null });
    assert.deepEqual(await act(0, { action: "setProxyEnabled", enabled: false }), empty);
    seen.complaints.length = 0;
  });
}
