import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Intent } from "@backplane/contract/intents";
import type { Page, Request } from "playwright-core";
import { changePerson, type Visit } from "../support/browser.ts";
import { startHostileSite } from "../support/hostile-site.ts";
import { createIntent, type Person, signedInWindow } from "../support/person.ts";
import type { RunningPlatform } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import type { PlatformBench } from "./bench.ts";

/** Nothing but a click on the approval page approves. */
export function testForgedApprovals(bench: () => PlatformBench): void {
  let platform: RunningPlatform;
  let owner: Person;
  let seen: Visit;
  let page: Page;
  let hostile: Awaited<ReturnType<typeof startHostileSite>>;
  /** Requests of the signed-in owner's window to the platform. */
  const asked: string[] = [];
  const record = (request: Request) => {
    if (request.url().startsWith(platform.pages)) asked.push(`${request.method()} ${request.resourceType()}`);
  };
  before(async () => {
    ({ platform, owner, seen, page } = bench());
    hostile = await startHostileSite();
    await changePerson(page, signedInWindow(owner));
    page.context().on("request", record);
  });
  after(async () => {
    page.context().off("request", record);
    await hostile?.[Symbol.asyncDispose]();
  });

  const SITES = [
    ["another origin of the same site, which gets the cookie sent", () => hostile.sameSite],
    ["another site", () => hostile.otherSite],
  ] as const;

  async function assertPending({ token }: Intent): Promise<void> {
    const response = await fetch(`${platform.url}/auth/intents/${token}/status`);
    assert.deepEqual(await response.json(), { state: "pending" });
  }

  /** Opens a foreign page and starts recording its requests to the platform. */
  async function lureTo(site: string): Promise<void> {
    await page.goto(site);
    asked.length = 0;
  }

  for (const [name, siteOf] of SITES) {
    test(`a page on ${name} cannot approve with any request that a script makes`, async () => {
      const intent = await createIntent(platform.url);
      await lureTo(siteOf());
      const outcomes = await page.evaluate(
        async ({ url, body }) => {
          const attempts: Record<string, RequestInit> = {
            "a PATCH": { method: "PATCH", body },
            "a PATCH of JSON": { method: "PATCH", body, headers: { "content-type": "application/json" } },
            "a PATCH without CORS": { method: "PATCH", body, mode: "no-cors" },
            "a POST that says it is a PATCH": { method: "POST", body, headers: { "x-http-method-override": "PATCH" } },
            "a POST without CORS": { method: "POST", body, mode: "no-cors" },
            "a PUT": { method: "PUT", body },
          };
          const results: Record<string, string> = {};
          for (const [what, init] of Object.entries(attempts)) {
            results[what] = await fetch(url, { ...init, credentials: "include" }).then(
              ({ type, status }) => `${type} ${status}`,
              () => "refused",
            );
          }
          results["a beacon"] = String(navigator.sendBeacon(url, body));
          return results;
        },
        { url: `${platform.pages}/auth/intents/${intent.token}`, body: '{"decision":"approve"}' },
      );
      const { "a beacon": beacon, ...fetched } = outcomes;
      assert.equal(beacon, "true", "the beacon was sent");
      for (const [what, outcome] of Object.entries(fetched)) assert.equal(outcome, "refused", what);
      await assertPending(intent);
    });

    test(`a page on ${name} cannot approve with a form, an image, a prefetch, a prerender or a window`, async () => {
      const intent = await createIntent(platform.url);
      await lureTo(siteOf());
      await page.evaluate(
        ({ page: address, api }) => {
          for (const url of [address, api]) {
            for (const rel of ["prefetch", "preload", "prerender"]) {
              document.head.append(Object.assign(document.createElement("link"), { rel, href: url, as: "fetch" }));
            }
            document.body.append(Object.assign(document.createElement("img"), { src: url, alt: "" }));
          }
          const rules = { prerender: [{ urls: [address] }], prefetch: [{ urls: [address] }] };
          const script = Object.assign(document.createElement("script"), { type: "speculationrules" });
          script.textContent = JSON.stringify(rules);
          document.head.append(script);
        },
        { page: intent.auth_url, api: `${platform.pages}/auth/intents/${intent.token}` },
      );
      await until(() => asked.filter((line) => line === "GET image").length === 2, `both images in ${asked}`);

      // The page opens in its own window, but still asks first.
      const opening = page.context().waitForEvent("page");
      await page.evaluate((url) => void window.open(url), intent.auth_url);
      const opened = await opening;
      await opened.getByRole("button", { name: "Approve" }).waitFor();
      assert.equal(await opened.evaluate(() => window.opener), null);
      await assertPending(intent);
      await opened.close();

      for (const [method, enctype] of [
        ["post", "text/plain"],
        ["post", "application/x-www-form-urlencoded"],
        ["get", ""],
      ] as const) {
        await page.goto(siteOf());
        await page.evaluate(
          ({ action, ...how }) => {
            const form = Object.assign(document.createElement("form"), { action, ...how });
            for (const [field, value] of [
              ["_method", "PATCH"],
              ["decision", "approve"],
            ] as const) {
              form.append(Object.assign(document.createElement("input"), { name: field, value }));
            }
            document.body.append(form);
            form.submit();
          },
          { action: `${platform.pages}/auth/intents/${intent.token}`, method, enctype },
        );
        await page.waitForURL((url) => url.origin === platform.pages);
        await assertPending(intent);
      }
    });

    test(`framed by a page on ${name}, nothing is drawn and nothing is approved`, async () => {
      const intent = await createIntent(platform.url);
      await lureTo(siteOf());
      const response = page.waitForResponse((answer) => answer.url() === intent.auth_url);
      await page.evaluate((src) => {
        document.body.append(Object.assign(document.createElement("iframe"), { src, width: 800, height: 800 }));
      }, intent.auth_url);
      assert.match((await (await response).allHeaders())["content-security-policy"] ?? "", /frame-ancestors 'none'/);
      const [frame] = page.frames().slice(1);
      await until(() => frame?.url().startsWith("chrome-error:"), `the frame is blocked, not at ${frame?.url()}`);
      assert.equal(await frame?.getByRole("button", { name: "Approve" }).count(), 0);
      await assertPending(intent);
    });
  }

  test("a PATCH with the right cookie but a foreign page's headers gets 403; without the cookie 401", async () => {
    const intent = await createIntent(platform.url);
    const decide = async (headers: Record<string, string>) => {
      const response = await fetch(`${platform.pages}/auth/intents/${intent.token}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ confirmation_code: intent.confirmation_code }),
      });
      return `${response.status} ${((await response.json()) as { code?: string }).code}`;
    };
    const { cookie } = owner;
    const own = { origin: platform.pages };
    for (const marks of [
      { origin: hostile.sameSite.slice(0, -1) },
      { origin: "null" },
      { origin: platform.url },
      { ...own, "sec-fetch-site": "same-site" },
      { ...own, "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
    ]) {
      assert.equal(await decide({ cookie, ...marks }), "403 foreign-page", JSON.stringify(marks));
    }
    assert.equal(await decide(own), "401 not-signed-in");
    await assertPending(intent);
  });

  test("a visit, a reload, a HEAD, a prefetch or a key pressed too early does not approve", async () => {
    const intent = await createIntent(platform.url);
    const addresses = [intent.auth_url, `${platform.pages}/auth/intents/${intent.token}`];
    for (const address of addresses) {
      for (const headers of [{}, { "sec-purpose": "prefetch" }, { purpose: "prefetch" }, { accept: "text/html" }]) {
        for (const method of ["GET", "HEAD"]) {
          await (await fetch(address, { method, headers: { ...headers, cookie: owner.cookie } })).arrayBuffer();
        }
      }
    }
    await page.goto(`${platform.pages}/health`);
    seen.complaints.length = 0;
    for (const arrive of [() => page.goto(addresses[1] ?? ""), () => page.reload()]) {
      await arrive();
      await page.getByRole("button", { name: "Approve" }).waitFor();
      for (const key of ["Enter", "Space"]) await page.keyboard.press(key);
    }
    assert.equal(page.url(), `${platform.pages}/auth/intent`);
    await assertPending(intent);
    assert.deepEqual(seen.complaints, []);
  });

  test("the second click of a double click that closed a window above the page does not approve", async () => {
    const intent = await createIntent(platform.url);
    await page.goto(intent.auth_url);
    const approve = page.getByRole("button", { name: "Approve" });
    await until(() => approve.isEnabled(), "the page has been there for a while");
    // As the browser does when the window above is gone. Playwright keeps every page focused.
    for (const come of [
      () => window.dispatchEvent(new Event("focus")),
      () => document.dispatchEvent(new Event("visibilitychange")),
    ]) {
      await page.evaluate(come);
      await page.evaluate(() => document.querySelector<HTMLElement>(".answers button:last-child")?.click());
      await assertPending(intent);
      await until(() => approve.isEnabled(), "a moment later it can be pressed");
    }
  });
}
