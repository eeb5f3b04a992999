import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, beforeEach, test } from "node:test";
import type { Browser } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { shotOf, type Visit, visit } from "../support/browser.ts";
import { AT_MS, faultsIn, OUTCOMES, openGateway, PENDING, QUERY } from "../support/callback-gateway.ts";
import { assertFlawlessInEveryLook } from "../support/looks.ts";
import { isTooWide, NARROW } from "../support/narrow.ts";
import { visitWithClock } from "../support/paused-clock.ts";
import type { OAuthBench } from "./bench.ts";

const WHOLE_STYLE = readFileSync(new URL("../../packages/kit/src/page/tokens.css", import.meta.url), "utf8");

/** Together they have every part that a page can have: each tone, facts, the next step and the hint. */
const WITH_EVERY_PART: readonly string[] = ["delivered", "declined", "expired", "waiting"];

const WIDE = { width: 1_280, height: 720 };

export function testCallbackPage(bench: () => OAuthBench): void {
  let browser: Browser;
  let seen: Visit;
  before(() => {
    ({ browser, seen } = bench());
  });
  beforeEach(() => {
    seen.complaints.length = 0;
  });

  test("every page is accessible in every look, fits the window, removes the code from its address, and loads no resources", async () => {
    const requests: string[] = [];
    seen.page.on("request", (request) => requests.push(request.resourceType()));
    for (const [name, html] of Object.entries({ ...OUTCOMES, ...PENDING })) {
      await using served = await openGateway(html);
      requests.length = 0;
      const isAnalysed = isLongRun || WITH_EVERY_PART.includes(name);
      await seen.page.setViewportSize(isAnalysed ? WIDE : NARROW.viewport);
      await seen.page.goto(`${served.origin}/callback/parts?${QUERY}#_=_`);
      assert.equal(seen.page.url(), `${served.origin}/callback/parts`, name);
      if (isAnalysed) await assertFlawlessInEveryLook(seen.page, name);
      assert.equal(await isTooWide(seen.page), false, name);
      assert.deepEqual(new Set(requests.filter((type) => type !== "fetch")), new Set(["document"]), name);
    }
    assert.deepEqual(faultsIn(seen.complaints), []);
  });

  test("the reduced style sheet of a page looks exactly like the full one", async () => {
    const options = { viewport: WIDE, bypassCSP: true, reducedMotion: "reduce" } as const;
    await using scripted = await visitWithClock(browser, AT_MS, options);
    await using plain = await visitWithClock(browser, AT_MS, { ...options, javaScriptEnabled: false });
    for (const [window, part = "", colorScheme, viewport] of [
      [scripted, OUTCOMES.delivered, "light", WIDE],
      [scripted, OUTCOMES.declined, "dark", WIDE],
      [scripted, OUTCOMES.expired, "light", NARROW.viewport],
      [scripted, PENDING.waiting, "light", NARROW.viewport],
      [plain, PENDING["waiting (form)"], "light", WIDE],
    ] as const) {
      const whole = part.replace(/<style>[\s\S]*<\/style>/, () => `<style>${WHOLE_STYLE}</style>`);
      const shots: Buffer[] = [];
      await window.page.emulateMedia({ colorScheme });
      await window.page.setViewportSize(viewport);
      for (const page of [part, whole]) {
        await using served = await openGateway(page);
        await window.page.goto(`${served.origin}/callback?${QUERY}`);
        shots.push(await shotOf(window.page));
      }
      assert.ok(shots[0]?.equals(shots[1] ?? Buffer.alloc(0)), /<title>(.*)<\/title>/.exec(part)?.[1]);
    }
  });

  test("times are in the reader's time zone, and in UTC without JavaScript", async () => {
    await using served = await openGateway(OUTCOMES.delivered ?? "");
    await using there = await visit(browser, { timezoneId: "Asia/Tokyo" });
    await there.page.goto(`${served.origin}/callback?${QUERY}`);
    await there.page.getByText("23:31:09, in 38 ms").waitFor();
    await using plain = await visit(browser, { timezoneId: "Asia/Tokyo", javaScriptEnabled: false });
    await plain.page.goto(`${served.origin}/callback?${QUERY}`);
    await plain.page.getByText("14:31:09 UTC, in 38 ms").waitFor();
  });

  test("going back does not bring the code back", async () => {
    await using served = await openGateway(OUTCOMES.delivered ?? "");
    await seen.page.goto(`${served.origin}/provider`);
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    await seen.page.goto(`${served.origin}/provider`);
    await seen.page.goBack();
    assert.equal(seen.page.url(), `${served.origin}/callback`);
  });

  test("a popup keeps its opener, which sees that it is open", async () => {
    await using served = await openGateway(OUTCOMES.delivered ?? "");
    await seen.page.goto(`${served.origin}/provider`);
    const [popup] = await Promise.all([
      seen.page.waitForEvent("popup"),
      seen.page.evaluate((url) => {
        Object.assign(window, { opened: window.open(url, "sign-in", "popup") });
      }, `${served.origin}/callback?${QUERY}`),
    ]);
    await popup.getByRole("heading", { name: "Code delivered" }).waitFor();
    assert.equal(await popup.evaluate(() => window.opener !== null), true);
    assert.equal(await seen.page.evaluate(() => (window as unknown as { opened: Window }).opened.closed), false);
  });
}
