import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Screenshot } from "@backplane/contract/panels";
import { assertSameBytes } from "../../scripts/testing/same-bytes.ts";
import { distance, type Picture, readPicture } from "../support/pixels.ts";
import { until } from "../support/processes.ts";
import { SWATCHES } from "../support/site.ts";
import { type Called, type Driver, driversOf } from "../support/workspaces.ts";
import { type Bench, type BrowserBench, complaintsOf, frameAt, slotOf } from "./bench.ts";

/** Per channel, of 255. */
const COLOUR_TOLERANCE = 3;
const MAX_DIMENSION = 1_568;
/** Not one of the site's colours. */
const DRAWN = "#0a8f6b";
/** A window whose workspace exceeds MAX_DIMENSION. */
const WIDE = { width: 1_800, height: 900 };

function taken(answer: Called): Screenshot {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as unknown as Screenshot;
}

/** One test per row of the table of scopes, plus the size limit and the 504. */
export function testScreenshots(bench: () => Bench): void {
  const driver = (at: number) => bench().drivers[at % bench().drivers.length] as Driver;
  const status = async () => (await driver(1).call("GET", `${driver(1).current}/screenshot`)).body;
  const showSwatches = async () => {
    const { site, page, webview } = bench();
    await driver(0).webview({ panelId: webview, action: "navigate", url: `${site.url}/swatches` });
    await driver(0).webview({ panelId: webview, action: "setHeaderHidden", hidden: true });
    await page.getByRole("textbox", { name: "Address" }).waitFor({ state: "detached" });
    const frame = await frameAt(page, `${site.url}/swatches`);
    await frame.waitForLoadState();
  };
  /** Checks the colour in the middle of each swatch. */
  const assertSwatches = ({ width, height, at }: Picture) => {
    for (const [place, colour] of SWATCHES.entries()) {
      const pixel = at(((place % 3) + 0.5) * (width / 3), (Math.floor(place / 3) + 0.5) * (height / 2));
      assert.ok(distance(pixel, colour) <= COLOUR_TOLERANCE, `${colour} is ${pixel}`);
    }
  };

  test("html2canvas needs no sharing; it works on sandbox panels only, else 400", async () => {
    const { sandbox, webview, page } = bench();
    const draw = `document.body.innerHTML = '<div style="position:fixed;inset:0;background:${DRAWN}">'; 0`;
    await driver(0).eval(sandbox, draw);
    for (const at of bench().drivers.keys()) {
      const shot = taken(await driver(at).screenshot({ panelId: sandbox, method: "html2canvas", inline: true }));
      assert.deepEqual([shot.scope, shot.method, shot.mimeType], ["panel", "html2canvas", "image/png"]);
      const png = Buffer.from(String(shot.dataUrl).replace("data:image/png;base64,", ""), "base64");
      assert.equal(png.length, shot.size);
      const picture = await readPicture(png);
      assert.deepEqual([picture.width, picture.height], [shot.width, shot.height]);
      assert.ok(distance(picture.at(picture.width / 2, picture.height / 2), DRAWN) <= COLOUR_TOLERANCE);
    }
    for (const body of [{ panelId: webview }, { scope: "workspace" }, { scope: "screen" }]) {
      const refused = await driver(1).screenshot({ ...body, method: "html2canvas" });
      assert.deepEqual([refused.status, refused.body.code], [400, "wrong-method"]);
    }
    assert.equal(await page.getByRole("button", { name: "Share for screenshots" }).count(), 1);
  });

  test("the request of a program that is gone closes by itself, and the page says so", async () => {
    const { page, workspaces } = bench();
    const gone = new AbortController();
    const asking = fetch(`${workspaces.pages}${driver(0).current}/screenshot`, {
      method: "PATCH",
      headers: { "x-api-key": workspaces.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ waitForSharing: 60 }),
      signal: gone.signal,
    });
    const prompt = page.getByRole("dialog", { name: "bench-agent asks for a screenshot" });
    await prompt.waitFor();
    const said = page.getByRole("status").getByText("bench-agent stopped waiting for a screenshot.").waitFor();
    gone.abort();
    await assert.rejects(asking);
    await prompt.waitFor({ state: "detached" });
    await said;
  });

  test("504: timeout, because screen sharing is not enabled; the browser then prompts the user; the caller tells the user and retries", async () => {
    const { webview, page } = bench();
    await showSwatches();
    assert.deepEqual(await status(), { sharing: { active: false, displaySurface: null }, availableScopes: [] });
    const asked = { panelId: webview, reason: "Compare the colours." };
    const prompt = page.getByRole("dialog", { name: "bench-agent asks for a screenshot" });
    const prompted = prompt.getByText("Compare the colours.").waitFor();
    const refused = await driver(0).screenshot({ ...asked, waitForSharing: 0.2 });
    assert.deepEqual([refused.status, refused.body.code], [504, "sharing-required"]);
    assert.match(String(refused.body.detail), /press Share/);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await prompted;

    // A waiting call completes with the click, although a second one asks while the button is down.
    const waiting = driver(0).screenshot({ ...asked, waitForSharing: 60 });
    await prompt.getByRole("button", { name: "Share" }).hover();
    await page.mouse.down();
    const another = driver(1).screenshot({ scope: "workspace", waitForSharing: 60 });
    await prompt.getByText("1 more request is waiting.").waitFor();
    await page.mouse.up();
    taken(await waiting);
    taken(await another);
    await prompt.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Sharing this tab" }).waitFor();
    taken(await driver(0).screenshot({ ...asked, waitForSharing: 0 }));
    assert.deepEqual(await status(), {
      sharing: { active: true, displaySurface: "browser" },
      availableScopes: ["panel", "workspace"],
    });
  });

  test("panel: a single panel, selected by panel id, tab id, or both; in its true colours, without anything that covers it", async () => {
    const { webview, webviewTab: tabId, page, workspaces } = bench();
    const box = await slotOf(page, tabId).boundingBox();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    try {
      for (const [at, chosen] of [{ panelId: webview }, { tabId }, { panelId: webview, tabId }].entries()) {
        const shot = taken(await driver(at).screenshot(chosen));
        assert.deepEqual([shot.scope, shot.method], ["panel", "element-capture"]);
        assert.deepEqual([shot.width, shot.height, shot.scale], [box?.width, box?.height, 1]);
        const served = await driver(at + 1).call("GET", new URL(shot.url).pathname);
        const saved = readFileSync(join(workspaces.projects, "bench", shot.path));
        assert.equal(served.headers.get("content-type"), "image/png");
        assertSameBytes(served.bytes, saved);
        assertSwatches(await readPicture(saved));
      }
    } finally {
      // A dialog left open would make every later test fail.
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
    }
  });

  test("workspace: all panels side by side", async () => {
    const { page, drivers } = bench();
    const dock = await page.locator("main.dock").boundingBox();
    for (const at of drivers.keys()) {
      const answer = await driver(at).screenshot({ name: "all of it" }, { accept: "image/png" });
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/png"]);
      const picture = await readPicture(answer.bytes);
      const size = [dock?.width ?? 0, dock?.height ?? 0].map((length) => 2 * Math.floor(length / 2));
      assert.ok(Math.abs(picture.width - (size[0] ?? 0)) <= 2 && Math.abs(picture.height - (size[1] ?? 0)) <= 2);
      const seen = Array.from({ length: picture.width }, (_, x) =>
        [0.25, 0.75].map((y) => picture.at(x, picture.height * y)),
      );
      for (const colour of [...SWATCHES, DRAWN]) {
        assert.ok(
          seen.flat().some((pixel) => distance(pixel, colour) <= COLOUR_TOLERANCE),
          `${colour} is in the image`,
        );
      }
    }
  });

  test("screen: a shared tab is not enough: 504", async () => {
    const refused = await driver(1).screenshot({ scope: "screen", waitForSharing: 0.2 });
    assert.deepEqual([refused.status, refused.body.code], [504, "sharing-required"]);
    assert.match(String(refused.body.detail), /entire screen/);
    const { page } = bench();
    await page
      .getByRole("dialog", { name: /asks for a screenshot/ })
      .getByRole("button", { name: "Not now" })
      .click();
  });

  test("Screenshot max dimension 1568 px: larger images are resized proportionally, smaller ones kept as is", async () => {
    const { page } = bench();
    const before = page.viewportSize();
    await page.setViewportSize(WIDE);
    try {
      await until(async () => (await page.locator("main.dock").boundingBox())?.width === WIDE.width, "it is wide");
      const shoot = async (maxDimension?: number) => taken(await driver(0).screenshot({ maxDimension }));
      const capped = await shoot();
      const { originalWidth, originalHeight } = capped;
      assert.ok(Math.abs(originalWidth - WIDE.width) <= 2, `${originalWidth}×${originalHeight}`);
      const scale = MAX_DIMENSION / originalWidth;
      assert.deepEqual([capped.width, capped.height], [MAX_DIMENSION, Math.round(originalHeight * scale)]);
      assert.ok(Math.abs(capped.scale - scale) < 1e-3);
      const small = await shoot(300);
      assert.deepEqual([small.width, small.originalWidth], [300, originalWidth]);
      const whole = await shoot(0);
      assert.deepEqual([whole.width, whole.height, whole.scale], [originalWidth, originalHeight, 1]);
    } finally {
      if (before) await page.setViewportSize(before);
    }
    assert.deepEqual(complaintsOf(bench().seen), []);
  });
}

/** In a browser that shares its screen. */
export function testScreen(bench: () => BrowserBench): void {
  test("screen: the entire display, once the user shares it", async () => {
    const { workspaces, windows } = bench();
    const drivers = driversOf(workspaces, "screens");
    const [first, last] = [drivers[0] as Driver, drivers.at(-1) as Driver];
    const seen = await windows.show(0, "screens");
    const waiting = last.screenshot({ scope: "screen", waitForSharing: 60 });
    await seen.page.getByRole("button", { name: "Share", exact: true }).click();
    const shot = taken(await waiting);
    assert.deepEqual([shot.scope, shot.method], ["screen", "element-capture"]);
    assert.ok(shot.width > 0 && shot.height > 0);
    const { body } = await first.call("GET", `${first.current}/screenshot`);
    const sharing = { active: true, displaySurface: "monitor" };
    assert.deepEqual(body, { sharing, availableScopes: ["screen"] });
    assert.deepEqual(complaintsOf(seen), []);
  });
}
