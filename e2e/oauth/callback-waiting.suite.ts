import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Visit, visit } from "../support/browser.ts";
import {
  type Answer,
  AT_MS,
  description,
  faultsIn,
  NO_APP,
  openGateway,
  PARAMETERS,
  PENDING,
  provider,
  QUERY,
} from "../support/callback-gateway.ts";
import { axeViolations } from "../support/looks.ts";
import { isTooWide, NARROW } from "../support/narrow.ts";
import { advanceSeconds, advanceUntilMore, visitWithClock } from "../support/paused-clock.ts";
import { until } from "../support/processes.ts";
import type { OAuthBench } from "./bench.ts";

const heading = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();

const ENDS: [name: string, answer: Answer, heading: string, text: string][] = [
  [
    "the user declined",
    { status: 200, body: { status: "declined", provider, error: "access_denied", error_description: description } },
    "The provider declined",
    `${"</dd><b> ".repeat(4)}xxx`,
  ],
  [
    "the provider failed",
    { status: 200, body: { status: "declined", provider: "parts", error: "server_error" } },
    "The provider refused",
    "server_error",
  ],
  ["used", { status: 410, body: { code: "state-used" } }, "Already delivered", "This address works only once"],
  ["expired", { status: 410, body: { code: "state-expired" } }, "The sign-in took too long", "10 minutes"],
  [
    "malformed",
    { status: 400, body: { code: "invalid-parameter" } },
    "This address is incomplete",
    "Nothing was delivered",
  ],
  ["wrong provider", { status: 400, body: { code: "wrong-provider" } }, "Wrong provider", "Nothing was delivered"],
  ["unconfirmed", { status: 504, body: { code: "unconfirmed" } }, "Sent, not confirmed", "within 5 seconds"],
];

export function testCallbackWaiting(bench: () => OAuthBench): void {
  let browser: Browser;
  /** Shared by almost all tests. Its clock is paused. */
  let seen: Visit;
  before(async () => {
    browser = bench().browser;
    seen = await visitWithClock(browser, AT_MS);
  });
  beforeEach(() => {
    seen.complaints.length = 0;
  });
  after(() => seen?.[Symbol.asyncDispose]());

  test("waiting: polls once per second with the provider's parameters, and shows the outcome", async () => {
    const delivered: Answer = { status: 200, body: { status: "delivered", provider: "parts-\u202ecatalog" } };
    await using served = await openGateway(PENDING.waiting ?? "", { answers: [NO_APP, NO_APP, delivered] });
    await using seen = await visitWithClock(browser, AT_MS, { timezoneId: "Asia/Tokyo" });
    const { page } = seen;
    await page.goto(`${served.origin}/callback/parts?${QUERY}`);
    assert.equal(await heading(page), "Waiting for the application");
    assert.equal(await page.title(), "Waiting for the application · Backplane");
    assert.equal(page.url(), `${served.origin}/callback/parts`);
    const meter = page.getByRole("progressbar", { name: "Seconds waited" });
    assert.equal(await meter.getAttribute("aria-valuenow"), "0");
    assert.equal(await meter.locator("i").count(), 30);

    const announcer = await page.getByRole("status").elementHandle();
    await advanceUntilMore(page, served.asked);
    await page.getByText("29 s left").waitFor();
    await advanceUntilMore(page, served.asked);
    await page.getByText("28 s left").waitFor();
    assert.equal(await meter.getAttribute("aria-valuenow"), "2");
    assert.equal(await meter.locator("i.on").count(), 2);
    assert.equal(
      await announcer?.evaluate((element) => element.querySelector("[role=progressbar], [data-left]")),
      null,
    );

    await advanceUntilMore(page, served.asked);
    await page.getByRole("heading", { name: "Code delivered" }).waitFor();
    assert.equal(await page.title(), "Code delivered · Backplane");
    assert.equal(
      await announcer?.evaluate((element) => element.isConnected && element.querySelector("h1")?.textContent),
      "Code delivered",
    );
    assert.equal(await page.locator("dd").first().innerText(), "parts-catalog");
    assert.match(await page.locator("dd").nth(1).innerText(), /^23:31:\d\d, after 3 s$/);
    assert.equal(await page.getByRole("progressbar").count(), 0);

    await advanceSeconds(page, 60);
    assert.deepEqual(
      served.asked.map(({ path, body }) => `${path} ${body}`),
      Array.from({ length: 3 }, () => `/callback/parts ${QUERY}`),
    );
    assert.equal(served.mostOpen(), 1);
    await page.clock.resume();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(faultsIn(seen.complaints), []);
  });

  test("waiting: gives up after 30 seconds on the clock, even if timers fired rarely", async () => {
    await using served = await openGateway(PENDING.waiting ?? "");
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    await advanceUntilMore(seen.page, served.asked);
    // As in a hidden window, where timers fire late and only once.
    await advanceUntilMore(seen.page, served.asked, () => seen.page.clock.fastForward(11_000));
    await seen.page.getByText("18 s left").waitFor();
    await seen.page.clock.runFor(500);
    assert.equal(served.asked.length, 2, "what was missed is not made up for");
    await advanceUntilMore(seen.page, served.asked, () => seen.page.clock.fastForward(40_000));
    await seen.page.getByRole("heading", { name: "No application is waiting" }).waitFor();
    assert.equal(await seen.page.title(), "No application is waiting · Backplane");
    await seen.page.getByText("No application came back within 30 seconds.").waitFor();
    await advanceSeconds(seen.page, 10);
    assert.equal(served.asked.length, 3);
  });

  test("waiting: polls thirty times in thirty seconds", async () => {
    await using served = await openGateway(PENDING.waiting ?? "");
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    for (let count = 0; count < 30; count += 1) await advanceUntilMore(seen.page, served.asked);
    await seen.page.getByRole("heading", { name: "No application is waiting" }).waitFor();
    await advanceSeconds(seen.page, 10);
    assert.equal(served.asked.length, 30);
  });

  test("waiting: continues while the gateway is unreachable, busy or answers nonsense", async () => {
    const answers: Answer[] = [
      "gone",
      { status: 503, body: { code: "not-ready" } },
      { status: 502, body: "<html>" },
      { status: 429, body: {} },
      { status: 200, body: {} },
      { status: 200, body: { status: "delivered", provider: "parts" } },
    ];
    await using served = await openGateway(PENDING["not ready"] ?? "", { answers });
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    assert.equal(await heading(seen.page), "Waiting for the gateway");
    for (const _ of answers) await advanceUntilMore(seen.page, served.asked);
    await seen.page.getByRole("heading", { name: "Code delivered" }).waitFor();
  });

  test("waiting: a gateway that stays unreachable gets a different message than a missing application", async () => {
    await using served = await openGateway(PENDING.waiting ?? "", { answers: [NO_APP, "gone"] });
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    // Requests are sequential, so only one is in flight when time is skipped.
    await advanceUntilMore(seen.page, served.asked);
    await advanceUntilMore(seen.page, served.asked);
    await seen.page.clock.fastForward(40_000);
    await seen.page.getByRole("heading", { name: "The gateway is not responding" }).waitFor();
  });

  test("waiting: an unanswered request times out before the next one is sent", async () => {
    const delivered: Answer = { status: 200, body: { status: "delivered", provider: "parts" } };
    await using served = await openGateway(PENDING.waiting ?? "", { answers: ["silent", delivered] });
    await using seen = await visitWithClock(browser, AT_MS);
    // The browser's own timeout does not follow the test clock.
    await seen.page.addInitScript(() => {
      AbortSignal.timeout = (ms) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), ms);
        return controller.signal;
      };
    });
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    await advanceUntilMore(seen.page, served.asked);
    await advanceSeconds(seen.page, 5);
    await seen.page.getByText("24 s left").waitFor();
    assert.equal(served.asked.length, 1);
    // The timeout runs on the real clock; only then does the page schedule its next request.
    await advanceUntilMore(seen.page, served.asked, () => advanceSeconds(seen.page, 2), 100);
    await seen.page.getByRole("heading", { name: "Code delivered" }).waitFor();
    assert.equal(served.asked.length, 2);
  });

  for (const [name, answer, title, text] of ENDS) {
    test(`waiting: ends and shows the outcome when the answer is: ${name}`, async () => {
      await using served = await openGateway(PENDING.waiting ?? "", { answers: [answer] });
      await seen.page.setViewportSize(NARROW.viewport);
      await seen.page.goto(`${served.origin}/callback?${QUERY}`);
      await advanceUntilMore(seen.page, served.asked);
      await seen.page.getByRole("heading", { name: title }).waitFor();
      await seen.page.getByText(text).waitFor();
      assert.equal(await seen.page.title(), `${title} · Backplane`);
      assert.doesNotMatch(await seen.page.content(), /\u202e/);
      assert.equal(await isTooWide(seen.page), false);
      assert.equal(await seen.page.getByText("Message", { exact: true }).count(), name === "the user declined" ? 1 : 0);
      await advanceSeconds(seen.page, 40);
      assert.equal(served.asked.length, 1);
      assert.deepEqual(faultsIn(seen.complaints), []);
    });
  }

  test("form parameters are sent again unchanged, and are removed from the page", async () => {
    const delivered: Answer = { status: 200, body: { status: "delivered", provider: "parts" } };
    await using served = await openGateway(PENDING["waiting (form)"] ?? "", { answers: [NO_APP, delivered] });
    await seen.page.goto(`${served.origin}/provider`);
    await seen.page.getByRole("button", { name: "Go" }).click();
    await seen.page.getByRole("heading", { name: "Waiting for the application" }).waitFor();
    assert.equal(await seen.page.locator("form, input").count(), 0);
    assert.doesNotMatch(await seen.page.content(), /code-4711/);
    await advanceUntilMore(seen.page, served.asked);
    await advanceUntilMore(seen.page, served.asked);
    await seen.page.getByRole("heading", { name: "Code delivered" }).waitFor();
    for (const { body } of served.asked) assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), PARAMETERS);
    assert.deepEqual(served.visits, [`POST /callback ${new URLSearchParams(PARAMETERS)}`]);
  });

  test("without JavaScript the address keeps the provider's parameters for a reload, and a form has a button", async () => {
    await using served = await openGateway(PENDING.waiting ?? "");
    await using seen = await visit(browser, { javaScriptEnabled: false });
    await seen.page.goto(`${served.origin}/callback?${QUERY}`);
    assert.equal(await heading(seen.page), "No application is waiting");
    await seen.page.getByText("Reload this page to try again.").waitFor();
    await seen.page.reload();
    assert.deepEqual(served.visits, [`GET /callback?${QUERY}`, `GET /callback?${QUERY}`]);

    await using form = await openGateway(PENDING["waiting (form)"] ?? "");
    await seen.page.goto(`${form.origin}/callback`);
    await seen.page.getByRole("button", { name: "Try again" }).click();
    await until(() => form.visits.length === 2, "the form");
    assert.equal(form.visits[1], `POST /callback ${new URLSearchParams(PARAMETERS)}`);
  });
}
