import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import type { RunningBackplane } from "../support/backplane.ts";
import { changePerson, type Visit } from "../support/browser.ts";
import { assertFlawlessInEveryLook, assertLooksRightInEveryLook } from "../support/looks.ts";
import { makePerson, type Person, signedInWindow, signInAs } from "../support/person.ts";
import { asPhone, assertFits } from "../support/phone.ts";
import { OWNER } from "../support/platform.ts";
import { resume, until } from "../support/processes.ts";
import { type ApiReference, contradiction, exampleFaults } from "./api-reference.ts";
import type { Bench } from "./bench.ts";

/** Compressed. What was there before had 3 MB. */
const MAX_REFERENCE_BYTES = 150_000;

/** The pages of the four processes. */
export function testPages(bench: () => Bench): void {
  let backplane: RunningBackplane;
  let owner: Person;
  let seen: Visit;
  let page: Page;
  before(async () => {
    ({ backplane, seen, page } = bench());
    owner = await signInAs(backplane.url("platform"));
  });
  beforeEach(async () => {
    await changePerson(page);
    seen.complaints.length = 0;
  });

  test("strangers are told only that it runs, and where to sign in; axe finds nothing serious in any look", async () => {
    const answer = await fetch(backplane.url("platform", "/api/overview"));
    assert.deepEqual(await answer.json(), { running: true });
    await page.goto(backplane.url("platform"));
    await page.getByRole("heading", { name: "Backplane is running" }).waitFor();
    await page.getByRole("heading", { name: "Sign in to see its processes and addresses" }).waitFor();
    await page.getByText("owner.json").waitFor();
    await assertFlawlessInEveryLook(page, "overview for strangers");
    assert.deepEqual(seen.complaints, []);
  });

  test("the overview shows the four processes running, and axe finds nothing serious in any look", async () => {
    await changePerson(page, signedInWindow(owner));
    await page.goto(backplane.url("platform"));
    await page.getByRole("heading", { name: "All four processes are running" }).waitFor();
    for (const process of ["platform", "gateway", "watchdog", "viewer"]) {
      await page.getByRole("heading", { name: process, exact: true }).waitFor();
    }
    await assertLooksRightInEveryLook(page, "overview");
    assert.deepEqual(seen.complaints, []);
  });

  test("the owner sees the last hour, KiCad's address first, and steps that tick when a program takes them", async () => {
    const url = backplane.url("platform");
    await changePerson(page, signedInWindow(owner));
    await page.goto(url);
    await page.getByRole("heading", { name: "The last hour" }).waitFor();
    const kicad = `${new URL(url).origin}/registry/kicad/repository.json`;
    assert.equal(await page.locator(".address code").first().innerText(), kicad);
    const body = { name: "first-steps", scopes: ["panels"] };
    const { key } = (await (await owner.call(url, "/auth/api-keys", { method: "POST", body })).json()) as {
      key: string;
    };
    const opened = await fetch(`${url}/api/workspaces/editor/${OWNER.name}/first-steps/current/tabs`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ panelType: "sandbox" }),
    });
    assert.equal(opened.status, 201);
    await page.getByRole("heading", { name: "Open a panel from a program (done)" }).waitFor();
    const latest = page.getByRole("region", { name: "Latest" });
    await latest.getByText("You created the key first-steps").waitFor();
    await latest.getByText(`You created the workspace ${OWNER.name}/first-steps`).waitFor();
    await page.getByRole("region", { name: "Needs you" }).waitFor();
    await fetch(kicad, { headers: { "user-agent": "KiCad/9.0.2 (Linux)" } });
    await page.getByRole("heading", { name: "Add the package repository to KiCad (done)" }).waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("the System page tells the owner about instances, engines, storage and checks, in every look", async () => {
    await changePerson(page, signedInWindow(owner));
    await page.goto(backplane.url("platform"));
    await page.getByRole("navigation").getByRole("link", { name: "System" }).click();
    await page.getByText(/^Version .* · 1 instance · seen by owners only$/).waitFor();
    for (const name of ["Instances", "Database", "Bus", "Storage", "Backups", "Processes on this machine", "Checks"]) {
      await page.getByRole("heading", { name, exact: true }).waitFor();
    }
    await page.getByRole("row", { name: /database Fine SQLite in/ }).waitFor();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByRole("button", { name: /^Restore the backup/ }).click();
    await page.getByText(/mkdir backplane-restored && cd backplane-restored && .*backplane restore .*\.tar$/).waitFor();
    await assertFlawlessInEveryLook(page, "System");
    assert.deepEqual(seen.complaints, []);
    // Under 640 px the sections are behind a button.
    const width = page.viewportSize();
    assert.ok(width);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "System", exact: true }).click();
    await page.getByRole("menuitem", { name: "Packages" }).click();
    await page.getByRole("heading", { level: 1, name: "Packages" }).waitFor();
    await page.setViewportSize(width);
  });

  test("somebody who was invited is welcomed with steps of their own, and does not see what others do", async () => {
    const url = backplane.url("platform");
    const guest = await (await makePerson(owner, url, "newcomer")).signIn();
    for (const path of ["/api/activity", "/api/system", "/api/latest"])
      assert.equal((await guest.call(url, path)).status, 403, path);
    await changePerson(page, signedInWindow(guest));
    await page.goto(url);
    await page.getByRole("heading", { name: "Welcome, newcomer" }).waitFor();
    await page.getByRole("heading", { name: "Add a passkey" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "The last hour" }).count(), 0);
    await assertFlawlessInEveryLook(page, "overview for guests");
    assert.deepEqual(seen.complaints, []);
  });

  test("the overview shows which process is down, and when it is back", async () => {
    await changePerson(page, signedInWindow(owner));
    await page.goto(backplane.url("platform"));
    await page.getByRole("heading", { name: "All four processes are running" }).waitFor();
    const pid = backplane.pidOf("viewer");
    process.kill(pid, "SIGSTOP");
    await page.getByRole("heading", { name: "3 of 4 processes are running" }).waitFor();
    resume(pid);
    await page.getByRole("heading", { name: "All four processes are running" }).waitFor();
  });

  test("every page can be reached by keyboard, and has the right heading and title", async () => {
    await page.goto(backplane.url("platform"));
    await page.getByRole("heading", { name: "Backplane is running" }).waitFor();
    for (const [name, says] of [
      ["Workspaces", "Sign in to see your workspaces"],
      ["Packages", "No packages yet"],
      ["Account", "Sign in to see your account"],
    ] as const) {
      await page.getByRole("navigation").getByRole("link", { name }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: new RegExp(name, "i") }).waitFor();
      await page.getByText(says).first().waitFor();
      assert.match(await page.title(), new RegExp(`^${name} · Backplane$`));
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1");
    }
    assert.deepEqual(seen.complaints, []);
  });

  test("the theme can be chosen and is remembered", async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto(backplane.url("platform"));
    const light = await background();
    const button = page.getByRole("button", { name: /theme/i });
    await button.click();
    await button.click();
    const dark = await background();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await background(), dark);
  });

  test("on a phone no page scrolls sideways, and everything to press is large enough for a finger", async () => {
    await using _phone = await asPhone(page);
    const workspace = `${OWNER.name}/phone`;
    const tab = { method: "POST", body: { panelType: "system-log" } };
    const tabs = `/api/workspaces/editor/${workspace}/current/tabs`;
    assert.equal((await owner.call(backplane.url("platform"), tabs, tab)).status, 201);
    await changePerson(page, signedInWindow(owner));
    // Pages that are looked at in every look are tried on a phone there.
    for (const [address, says] of [
      [backplane.url("platform", "/workspaces"), "phone"],
      [backplane.url("platform", `/w/${workspace}`), "Following"],
      [backplane.url("platform", "/no/such/page"), "Page not found"],
      [backplane.url("platform", "/docs/"), "Which processes are up"],
      [backplane.url("viewer", "/screenshot-paste"), "Screenshot paste"],
    ] as const) {
      await page.goto(address);
      await page.getByText(says).first().waitFor();
      await assertFits(page, address);
    }
  });

  test("an unknown address shows a page with a link back, with status 404", async () => {
    const response = await page.goto(backplane.url("platform", "/no/such/page"));
    assert.equal(response?.status(), 404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("main").getByRole("link").first().click();
    await page.getByRole("heading", { name: "Backplane is running" }).waitFor();
  });

  test("the API reference lists the routes, is one small request, and leads back to the overview", async () => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const response = await page.goto(backplane.url("platform", "/docs/"));
    const loaded = requests.filter((url) => !url.startsWith("data:"));
    assert.deepEqual(loaded, [backplane.url("platform", "/docs/")]);
    assert.ok(Number(response?.headers()["content-length"]) < MAX_REFERENCE_BYTES);
    await page.getByText("Which processes are up").first().waitFor();
    await page.getByRole("searchbox").fill("/auth/login");
    await page.getByText("Which processes are up").first().waitFor({ state: "hidden" });
    await page.getByText("/auth/login").first().click();
    await page.getByText("sign-in-failed").first().waitFor();
    if (isLongRun) await assertFlawlessInEveryLook(page, "API reference");
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("heading", { name: "Backplane is running" }).waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("the examples of the API reference fit, and a stranger who makes each call is answered as it says", async () => {
    const { paths } = (await (await fetch(backplane.url("platform", "/openapi.json"))).json()) as ApiReference;
    const faults: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const fault = await contradiction(backplane.url("platform"), { method, path, operation });
        const told = [...exampleFaults(operation), ...(fault === undefined ? [] : [fault])];
        faults.push(...told.map((text) => `${method} ${path}: ${text}`));
      }
    }
    assert.deepEqual(faults, []);
  });

  test("the gateway's page loads nothing, the viewer's calls only the viewer, and axe finds nothing in any look", async () => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    for (const name of ["gateway", "viewer"] as const) {
      requests.length = 0;
      await page.goto(backplane.url(name));
      await page.getByRole("heading", { level: 1 }).waitFor();
      // axe looks at the viewer's page in viewer/page-looks.suite.ts.
      if (isLongRun || name === "gateway") await assertFlawlessInEveryLook(page, name);
      else await until(() => requests.some((url) => url.includes("/events")), "the page follows the viewer");
      const loaded = requests.filter((url) => !url.startsWith("data:"));
      assert.deepEqual(
        loaded.filter((url) => !url.startsWith(backplane.url(name))),
        [],
      );
      if (name === "gateway") assert.equal(loaded.length, 1);
      assert.deepEqual(seen.complaints, []);
    }
  });
}
