import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { changePerson, type Visit } from "../support/browser.ts";
import { faultsIn } from "../support/callback-gateway.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import {
  createIntent,
  fillSignIn,
  INVITED_PASSWORD,
  invite,
  type Person,
  signedInWindow,
  signInAs,
} from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { onAccountPage, type PlatformBench, startSignedOut } from "./bench.ts";

/** Signing in, and the account page of one person. */
export function testAccount(bench: () => PlatformBench): void {
  const { h1, part, newPerson, openAccount, isSignedIn } = onAccountPage(bench);
  let platform: RunningPlatform;
  let owner: Person;
  let seen: Visit;
  let page: Page;
  before(() => {
    ({ platform, owner, seen, page } = bench());
  });
  startSignedOut(bench);

  test("a wrong password is explained and keeps the entered name; the right one returns to the requested page", async () => {
    await page.goto(`${platform.pages}/auth/sign-in?return_to=/packages`);
    await fillSignIn(page, { ...OWNER, password: "wrong" });
    await page.getByRole("alert").getByText("Name and password do not match. Check both and try again.").waitFor();
    assert.equal(await page.getByLabel("Name or email").inputValue(), OWNER.name);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "password");
    await fillSignIn(page);
    await page.waitForURL(`${platform.pages}/packages`);
    await page.getByRole("link", { name: /^owner.*your account$/ }).waitFor();
  });

  test("sign-in never redirects to another server, whatever the link says", async () => {
    await changePerson(page, signedInWindow(owner));
    for (const address of ["//other.example", "https://other.example/", "/\\other.example"]) {
      await page.goto(`${platform.pages}/auth/sign-in?${new URLSearchParams({ return_to: address })}`);
      await page.waitForURL(`${platform.pages}/`);
      assert.deepEqual(seen.complaints, []);
    }
  });

  test("sessions are listed with this browser marked, renamed, and ended one by one or all except this one", async () => {
    const ada = await newPerson("ada");
    const [second, third, fourth] = [await ada.signIn(), await ada.signIn(), await ada.signIn()];
    await page.goto(`${platform.pages}/account`);
    await h1("Sign in to see your account").waitFor();
    await fillSignIn(page, ada);
    const sessions = part("Sessions");
    const rows = sessions.getByRole("row").filter({ has: page.getByRole("cell") });
    await rows.first().waitFor();
    assert.equal(await rows.count(), 5, "this one, three others, and the one that created the account");
    const here = rows.filter({ hasText: "this browser" });
    assert.match(await here.innerText(), /Chromium on Linux/);

    await here.getByRole("button", { name: /^Rename/ }).click();
    await page.getByLabel(/^New name for/).fill("Desk in the lab");
    await page.keyboard.press("Enter");
    await here.getByText("Desk in the lab").waitFor();
    await page.reload();
    await here.getByText("Desk in the lab").waitFor();

    const { sessions: listed } = (await (await second.call(platform.url, "/auth/sessions")).json()) as {
      sessions: { id: string; current: boolean }[];
    };
    const id = listed.find(({ current }) => current)?.id;
    await second.call(platform.url, `/auth/sessions/${id}`, { method: "PATCH", body: { name: "Old laptop" } });
    await page.reload();
    await sessions.getByRole("button", { name: "End Old laptop", exact: true }).click();
    await sessions.getByRole("button", { name: "End session: End Old laptop" }).click();
    await sessions.getByRole("status").getByText("Old laptop ended").waitFor({ state: "attached" });
    assert.equal(await isSignedIn(second), false);
    assert.equal(await isSignedIn(third), true);

    await sessions.getByRole("button", { name: "End all others" }).click();
    await sessions.getByRole("button", { name: "End all but this one" }).click();
    await sessions.getByText("3 sessions ended").waitFor({ state: "attached" });
    assert.equal(await rows.count(), 1);
    for (const person of [third, fourth]) assert.equal(await isSignedIn(person), false);
    await page.reload();
    await h1("ada").waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("a session ended elsewhere stops working at once, and signing out here ends it there", async () => {
    const bob = await newPerson("bob");
    await openAccount(await bob.signIn());
    const elsewhere = await bob.signIn();
    await elsewhere.call(platform.url, "/auth/sessions", { method: "DELETE" });
    await part("API keys").getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("too late");
    await page.getByRole("button", { name: "Create key" }).click();
    await h1("Sign in to see your account").waitFor();
    await fillSignIn(page, bob);
    await h1("bob").waitFor();
    const [cookie] = await page.context().cookies();
    await page.getByRole("button", { name: "Sign out" }).click();
    await h1("Sign in to see your account").waitFor();
    const response = await fetch(`${platform.url}/user`, { headers: { cookie: `session_token=${cookie?.value}` } });
    assert.equal(response.status, 401);
    assert.deepEqual(await page.context().cookies(), []);
  });

  test("an API key is shown once, works, and stops working when it is revoked", async () => {
    const carol = await newPerson("carol");
    await openAccount(await carol.signIn());
    const keys = part("API keys");
    await keys.getByText("No API keys.").waitFor();
    await keys.getByRole("button", { name: "New key" }).click();
    await keys.getByRole("button", { name: "Create key" }).click();
    await keys.getByText("Name it after what uses it, such as ci-publisher.").waitFor();
    await keys.getByLabel("Name", { exact: true }).fill("ci-publisher");
    await keys.getByLabel(/^Publish packages/).check();
    await keys.getByRole("button", { name: "Create key" }).click();
    const key = await keys.locator(".copy code").innerText();
    assert.match(key, /^bpk_/);
    const userBy = (headers: Record<string, string>) => fetch(`${platform.url}/user`, { headers });
    const response = await userBy({ "x-api-key": key });
    const { name, session } = (await response.json()) as { name: string; session: { kind: string; scopes: string[] } };
    assert.deepEqual([name, session.kind, session.scopes.sort()], ["carol", "ApiKey", ["publish", "read"]]);

    await page.goto("about:blank");
    await page.goto(`${platform.pages}/account#api-keys`);
    await keys.getByText("ci-publisher").waitFor();
    const focused = page.locator(":focus");
    assert.equal(await focused.innerText(), "API keys", "a link to a section leads there");
    assert.ok(!(await page.content()).includes(key), "the key is not shown again");
    await keys.getByRole("button", { name: "Revoke ci-publisher", exact: true }).click();
    await keys.getByRole("button", { name: /^Revoke key/ }).click();
    await keys.getByText("No API keys.").waitFor();
    assert.equal((await userBy({ "x-api-key": key })).status, 401);
    assert.deepEqual(seen.complaints, []);
  });

  test("a new password ends every other session, and the old password no longer works", async () => {
    const dora = await newPerson("dora");
    const other = await dora.signIn();
    await openAccount(await dora.signIn());
    const form = part("Password");
    const change = async (current: string, next: string) => {
      await form.getByLabel("Current password").fill(current);
      await form.getByLabel("New password").fill(next);
      await form.getByRole("button", { name: "Change password" }).click();
    };
    await change(INVITED_PASSWORD, "short");
    await form.getByText("Use 8 characters or more.").waitFor();
    await change("not that", "another sentence");
    await form.getByText("The current password is wrong. Check it and try again.").waitFor();
    assert.equal(await isSignedIn(other), true);
    await change(INVITED_PASSWORD, "another sentence");
    await form.getByText("Password changed. All your other sessions have ended.").waitFor();
    assert.equal(await isSignedIn(other), false);
    await page.reload();
    await h1("dora").waitFor();
    await assert.rejects(dora.signIn());
    await signInAs(platform.url, { name: "dora", password: "another sentence" });
  });

  test("the account page shows how much of the quotas is used, by oneself and by one's organisations", async () => {
    const jane = await (await newPerson("jane")).signIn();
    await jane.call(platform.url, "/auth/organisations", { method: "POST", body: { name: "janes-lab" } });
    const headers = { cookie: jane.cookie, origin: platform.url, "if-none-match": "*" };
    const file = `${platform.url}/api/workspaces/editor/janes-lab/rover/current/files/plan.txt`;
    assert.equal((await fetch(file, { method: "PUT", headers, body: "x".repeat(2_048) })).status, 201);
    assert.equal((await jane.call(platform.url, `/api/usage?owner=${OWNER.name}`)).status, 404);
    await openAccount(jane);
    const usage = part("Usage");
    await usage.getByText("0 bytes of 10 GB").first().waitFor();
    await usage.getByRole("button", { name: "janes-lab" }).click();
    await usage.getByText("2 KB of 10 GB").waitFor();
    await usage.getByText("in 1 workspace").waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("recent approvals show what was decided for which program", async () => {
    const person = await (await newPerson("hana")).signIn();
    const [yes, no] = [
      await createIntent(platform.url, { app_name: "bench-agent" }),
      await createIntent(platform.url, { app_name: "<b>evil" }),
    ];
    assert.equal((await person.decide(platform.url, yes.token)).status, 200);
    assert.equal((await person.decide(platform.url, no.token, "deny")).status, 200);
    await openAccount(person);
    const rows = part("Recent approvals").getByRole("row");
    await rows.filter({ hasText: "evil" }).waitFor();
    assert.match(await rows.filter({ hasText: "bench-agent" }).innerText(), /Name not verified[\s\S]*Approved/);
    assert.match(await rows.filter({ hasText: "evil" }).innerText(), /Denied/);
  });

  test("account, sign-in and invitation, in every look: no serious axe findings, no horizontal scrolling", async () => {
    const person = await signInAs(platform.url);
    const long = "x".repeat(80);
    const body = { name: long, scopes: ["read", "publish", "panels"] };
    await person.call(platform.url, "/auth/api-keys", { method: "POST", body });
    const { token } = await createIntent(platform.url, { app_name: long });
    await person.decide(platform.url, token);

    // sign-in-ways.suite.ts checks the card for signing in.
    const signIn = [
      ["/auth/sign-in?fault=openid-failed", "Sign in"],
      ["/account", "Sign in to see your account"],
    ] as const;
    for (const [path, title] of [
      [`/auth/join${new URL(await invite(owner, platform.url)).hash}`, "Create an account"],
      ...(isLongRun ? signIn : []),
    ] as const) {
      await page.goto(`${platform.pages}${path}`);
      await h1(title).waitFor();
      await assertLooksRightInEveryLook(page, path);
    }

    await openAccount(person);
    await part("Recent approvals").getByText(long).first().waitFor();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "New organisation" }).click();
    await page.getByRole("button", { name: "Invite someone" }).click();
    await part("People").locator(".copy code").waitFor();
    await assertLooksRightInEveryLook(page, "account");
    assert.deepEqual(faultsIn(seen.complaints), []);
  });
}
