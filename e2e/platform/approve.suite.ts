import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { User } from "@backplane/contract/accounts";
import type { IntentStatus } from "@backplane/contract/intents";
import type { Browser, Page, Request } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { changePerson, type Visit, visitIn } from "../support/browser.ts";
import { faultsIn } from "../support/callback-gateway.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import { visitWithClock } from "../support/paused-clock.ts";
import { createIntent, fillSignIn, type Person, signedInWindow, signInAs } from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { startSigningIn } from "../support/program.ts";
import type { PlatformBench } from "./bench.ts";

export function testApprove(bench: () => PlatformBench): void {
  let platform: RunningPlatform;
  let browser: Browser;
  let owner: Person;
  let seen: Visit;
  let page: Page;
  before(() => {
    ({ platform, browser, owner, seen, page } = bench());
  });
  beforeEach(async () => {
    await changePerson(page, signedInWindow(owner));
    seen.complaints.length = 0;
  });

  const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
  const button = (page: Page, name: "Approve" | "Deny") => page.getByRole("button", { name, exact: true });
  const ASKS = `A program asks to sign in as ${OWNER.name}`;

  const userOf = (token: string) => fetch(`${platform.url}/user`, { headers: { authorization: `Bearer ${token}` } });
  const statusOf = async (token: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${platform.url}/auth/intents/${token}/status`, { headers });
    return { status: response.status, body: (await response.json()) as Partial<IntentStatus> & { code?: string } };
  };
  const patchesOf = (page: Page): string[] => {
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PATCH" && sent.push(request.postData() ?? ""));
    return sent;
  };
  const codeOn = async (page: Page) => {
    const label = (await page.getByRole("img", { name: /^Confirmation code/ }).getAttribute("aria-label")) ?? "";
    return label.replace("Confirmation code ", "").replaceAll(" ", "").replace(",", "-");
  };

  test("a program shows a link and a code; its user signs in, compares the codes and approves; its session can call GET /user", async () => {
    using program = await startSigningIn(platform.url, { appName: "bench-agent", maxAge: 7_200 });
    assert.ok(program.link.url.startsWith(`${platform.pages}/auth/intent?token=`));
    await changePerson(page);
    await page.goto(program.link.url);
    await heading(page, "Sign in to review a request").waitFor();
    await fillSignIn(page);
    await heading(page, ASKS).waitFor();
    assert.equal(await codeOn(page), program.link.confirmationCode);
    const facts = await page.locator("dl.facts").innerText();
    for (const fact of ["bench-agent", "Name not verified", "127.0.0.1", "2 hours, until "]) {
      assert.ok(facts.includes(fact), `${fact} in ${facts}`);
    }
    await button(page, "Approve").click();
    await heading(page, "bench-agent is signed in").waitFor();

    const { sessionToken, maxAge } = await program.signedIn;
    assert.equal(maxAge, 7_200);
    const response = await userOf(sessionToken);
    assert.equal(response.status, 200);
    const { name, session } = (await response.json()) as User;
    assert.deepEqual([name, session.kind, session.name], [OWNER.name, "Application", "bench-agent"]);
    assert.deepEqual(seen.complaints, []);
  });

  test("after Deny the program gets the denial, and the link no longer works", async () => {
    using program = await startSigningIn(platform.url);
    await page.goto(program.link.url);
    await button(page, "Deny").click();
    await heading(page, "Sign-in denied").waitFor();
    await assert.rejects(program.signedIn, { code: "denied" });
    await page.goto(program.link.url);
    await heading(page, "Sign-in denied").waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("a wrong code is reported and approves nothing; the right one then approves", async () => {
    const intent = await createIntent(platform.url);
    await page.goto(intent.auth_url);
    await page.route(`**/auth/intents/${intent.token}`, (route) =>
      route.continue({ postData: JSON.stringify({ decision: "approve", confirmation_code: "BBBB-BBBB" }) }),
    );
    await button(page, "Approve").click();
    await page.getByText("The code has changed. Compare it with the one that the program shows.").waitFor();
    assert.equal((await statusOf(intent.token)).body.state, "pending");
    await page.unroute(`**/auth/intents/${intent.token}`);
    await button(page, "Approve").click();
    await heading(page, "The program is signed in").waitFor();
  });

  test("a user who was signed out in the meantime approves nothing, signs in, and is asked again", async () => {
    const intent = await createIntent(platform.url);
    const person = await signInAs(platform.url);
    await changePerson(page, signedInWindow(person));
    await page.goto(intent.auth_url);
    await button(page, "Approve").waitFor();
    // Otherwise the page would notice before the click.
    await page.route("**/request", () => {});
    assert.equal((await person.call(platform.url, "/auth/logout", { method: "DELETE" })).status, 204);
    await button(page, "Approve").click();
    await heading(page, "Sign in to review a request").waitFor();
    assert.equal((await statusOf(intent.token)).body.state, "pending");
    await page.unroute("**/request");
    await fillSignIn(page);
    await heading(page, ASKS).waitFor();
    assert.equal((await statusOf(intent.token)).body.state, "pending");
    await button(page, "Approve").click();
    await heading(page, "The program is signed in").waitFor();
  });

  test("an open page notices without a click that its session was ended elsewhere", async () => {
    const intent = await createIntent(platform.url);
    const person = await signInAs(platform.url);
    await changePerson(page, signedInWindow(person));
    await page.goto(intent.auth_url);
    await button(page, "Approve").waitFor();
    await person.call(platform.url, "/auth/logout", { method: "DELETE" });
    await heading(page, "Sign in to review a request").waitFor();
  });

  test("Not you? leads to the sign-in page", async () => {
    const intent = await createIntent(platform.url);
    await changePerson(page, signedInWindow(await signInAs(platform.url)));
    await page.goto(intent.auth_url);
    await page.getByRole("button", { name: "Not you?" }).click();
    await heading(page, "Sign in to review a request").waitFor();
    assert.equal((await statusOf(intent.token)).body.state, "pending");
  });

  test("two callers are both shown; Approve needs a ticked box, which a third caller clears; one gets the session", async () => {
    const from = (address: string) => ({ "x-forwarded-for": address });
    const made = await fetch(`${platform.url}/auth/intents`, { method: "POST", headers: from("198.51.100.7") });
    const intent = (await made.json()) as { token: string; auth_url: string };
    const patches = patchesOf(page);
    await page.goto(intent.auth_url);
    await page.getByText("This address is new.").waitFor();
    assert.equal((await statusOf(intent.token, from("203.0.113.9"))).body.state, "pending");
    await page.getByRole("alert").getByText("Two callers are waiting on this link.").waitFor();
    for (const address of ["198.51.100.7", "203.0.113.9"]) await page.getByText(address).first().waitFor();

    assert.equal(await button(page, "Approve").getAttribute("aria-disabled"), "true");
    await button(page, "Approve").click({ force: true });
    const box = page.getByRole("checkbox");
    await box.check();
    await button(page, "Approve").and(page.locator(":not([aria-disabled])")).waitFor();
    await statusOf(intent.token, from("203.0.113.10"));
    await page.getByText("I know all three addresses and want to approve.").waitFor();
    assert.equal(await box.isChecked(), false);
    assert.equal(await button(page, "Approve").getAttribute("aria-disabled"), "true");
    assert.deepEqual(patches, []);

    await box.check();
    await button(page, "Approve").click();
    await heading(page, "The program is signed in").waitFor();
    assert.equal((await statusOf(intent.token, from("203.0.113.9"))).body.state, "authenticated");
    assert.equal((await statusOf(intent.token, from("198.51.100.7"))).body.code, "caller-mismatch");
    await page.goto(`${platform.pages}/account`);
    await page.getByText("second caller refused").waitFor();
    await page.getByText(/and was refused: 198\.51\.100\.7/).waitFor();
  });

  test("a link that was approved in another tab, or is opened again, shows as already used", async () => {
    const intent = await createIntent(platform.url, { app_name: "bench-agent" });
    await using second = await visitIn(page.context());
    await page.goto(intent.auth_url);
    await second.page.goto(intent.auth_url);
    await button(second.page, "Approve").waitFor();
    await button(page, "Approve").click();
    await heading(page, "bench-agent is signed in").waitFor();
    await heading(second.page, "This link was already used").waitFor();
    await page.goto(intent.auth_url);
    await heading(page, "This link was already used").waitFor();
    assert.deepEqual([...seen.complaints, ...second.complaints], []);
  });

  test("a double click on Approve is one decision", async () => {
    const intent = await createIntent(platform.url);
    const patches = patchesOf(page);
    await page.goto(intent.auth_url);
    await button(page, "Approve").dblclick();
    await heading(page, "The program is signed in").waitFor();
    assert.equal(patches.length, 1);
  });

  test("Approve ignores clicks at first: they may be the second half of a double click on something else", async () => {
    const intent = await createIntent(platform.url);
    await using seen = await visitWithClock(browser, Date.now(), signedInWindow(owner));
    const patches = patchesOf(seen.page);
    await seen.page.goto(intent.auth_url);
    // Lazy-loaded parts render only after the page's clock has moved.
    await until(async () => {
      await seen.page.clock.runFor(20);
      return button(seen.page, "Approve").isVisible();
    }, "it is shown");
    await button(seen.page, "Approve").click({ force: true });
    assert.equal(await button(seen.page, "Approve").getAttribute("aria-disabled"), "true");
    await until(async () => {
      await seen.page.clock.runFor(100);
      return (await button(seen.page, "Approve").getAttribute("aria-disabled")) === null;
    }, "it takes clicks");
    assert.deepEqual(patches, []);
    await seen.page.clock.resume();
    await button(seen.page, "Approve").click();
    await heading(seen.page, "The program is signed in").waitFor();
    assert.equal(patches.length, 1);
  });

  test("the token is removed from address, title and history, is sent to no other server, and a reload still works", async () => {
    const intent = await createIntent(platform.url, { app_name: "bench-agent" });
    const asked: Request[] = [];
    page.on("request", (request) => asked.push(request));
    await page.goto(intent.auth_url);
    const place = () =>
      page.evaluate(() => `${location.href} ${document.title} ${JSON.stringify(history.state)} ${document.cookie}`);
    for (const arrive of [async () => {}, () => page.reload()]) {
      await arrive();
      await heading(page, ASKS).waitFor();
      assert.ok(!(await place()).includes(intent.token), await place());
      assert.equal(page.url(), `${platform.pages}/auth/intent`);
      assert.equal(await page.title(), "Approve a sign-in · Backplane");
    }
    await page.getByRole("link", { name: "Backplane" }).click();
    await page.waitForURL(`${platform.pages}/`);
    await page.goBack();
    await heading(page, ASKS).waitFor();
    assert.ok(!(await place()).includes(intent.token));
    await button(page, "Deny").click();
    await heading(page, "Sign-in denied").waitFor();
    assert.ok(!(await place()).includes(intent.token));
    for (const request of asked) {
      const { referer = "" } = await request.allHeaders();
      const { href, pathname } = new URL(request.url());
      assert.equal(referer, "", href);
      assert.ok(pathname.startsWith("/auth/intent") || !href.includes(intent.token), href);
    }
  });

  test("everything works by keyboard, and the focus is never set on a decision", async () => {
    const intent = await createIntent(platform.url);
    await changePerson(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.goto(intent.auth_url);
    await heading(page, "Sign in to review a request").waitFor();
    assert.equal(await focused(), "Sign in to review a request");
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER.name);
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press("Enter");
    await heading(page, ASKS).waitFor();
    assert.equal(await focused(), ASKS);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    await button(page, "Approve").and(page.locator(":not([aria-disabled])")).waitFor();
    assert.equal((await statusOf(intent.token)).body.state, "pending");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Deny");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Approve");
    await page.keyboard.press("Enter");
    await heading(page, "The program is signed in").waitFor();
    assert.equal(await focused(), "The program is signed in");
  });

  test("after 15 minutes the open page, the waiting program and every call say that the link has expired", async () => {
    using program = await startSigningIn(platform.url);
    const token = new URL(program.link.url).searchParams.get("token") ?? "";
    const patches = patchesOf(page);
    await page.goto(program.link.url);
    await page.getByText(/Expires in 1[45]:/).waitFor();
    process.kill(platform.pid, "SIGUSR2");
    await heading(page, "This link has expired").waitFor();
    await assert.rejects(program.signedIn, { code: "expired" });
    assert.equal((await owner.decide(platform.url, token)).status, 410);
    assert.deepEqual(patches, []);
    assert.deepEqual(seen.complaints, []);
  });

  test("every state of the page, in every look: no serious axe findings, no horizontal scrolling", async () => {
    const anIntent = (from?: string) =>
      createIntent(
        platform.url,
        { app_name: `bench-agent ${"x".repeat(68)}` },
        from ? { "x-forwarded-for": from } : {},
      );
    const look = async (what: string, address: string, title: string | RegExp) => {
      await page.goto(address);
      await heading(page, title).waitFor();
      await assertLooksRightInEveryLook(page, what);
    };
    await look("asked", (await anIntent()).auth_url, ASKS);
    await button(page, "Approve").click();
    await heading(page, /is signed in$/).waitFor();
    await assertLooksRightInEveryLook(page, "done");
    const warned = await anIntent("2001:db8:85a3:1234:5678:8a2e:370:7334");
    await statusOf(warned.token, { "x-forwarded-for": "203.0.113.9" });
    await page.goto(warned.auth_url);
    await page.getByText("Two callers are waiting on this link.").waitFor();
    await assertLooksRightInEveryLook(page, "warned");
    await look("unknown", `${platform.pages}/auth/intent?token=nothing`, "No program is waiting on this link");
    if (isLongRun) await lookAtTheRest();
    assert.deepEqual(faultsIn(seen.complaints), []);

    /** States made of the parts of those above, and the card of the sign-in page, which sign-in-ways.suite.ts checks. */
    async function lookAtTheRest(): Promise<void> {
      const [approved, denied, expired] = await Promise.all([anIntent(), anIntent(), anIntent()]);
      await owner.decide(platform.url, approved.token);
      await owner.decide(platform.url, denied.token, "deny");
      await look("used", approved.auth_url, "This link was already used");
      await look("denied", denied.auth_url, "Sign-in denied");
      process.kill(platform.pid, "SIGUSR2");
      await until(async () => (await statusOf(expired.token)).status === 410, "it has expired");
      await look("expired", expired.auth_url, "This link has expired");
      await changePerson(page);
      await look("sign in", (await anIntent()).auth_url, "Sign in to review a request");
    }
  });
}
