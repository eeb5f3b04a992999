import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { isLongRun } from "../scripts/testing/long.ts";
import { changePerson, openBrowser, type Visit, visit } from "./support/browser.ts";
import { faultsIn } from "./support/callback-gateway.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import {
  createIntent,
  fillSignIn,
  INVITED_PASSWORD,
  invite,
  makePerson,
  type Person,
  signedInWindow,
  signInAs,
} from "./support/person.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./support/platform.ts";

let platform: RunningPlatform;
let browser: Browser;
let owner: Person;
/** Shared by all tests: opening a window takes longer than most of them. */
let seen: Visit;
let page: Page;
before(async () => {
  platform = await startPlatform();
  browser = await openBrowser();
  owner = await signInAs(platform.url);
  seen = await visit(browser);
  page = seen.page;
});
beforeEach(async () => {
  await changePerson(page);
  seen.complaints.length = 0;
});
after(async () => {
  await browser?.close();
  await platform?.[Symbol.asyncDispose]();
});

const h1 = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const part = (name: string) => page.getByRole("region", { name });

const newPerson = (name: string) => makePerson(owner, platform.url, name);

async function openAccount(person: Person): Promise<void> {
  await changePerson(page, signedInWindow(person));
  await page.goto(`${platform.pages}/account`);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

const isSignedIn = async ({ call }: Person) => (await call(platform.url, "/user")).status === 200;

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

  await page.reload();
  await keys.getByText("ci-publisher").waitFor();
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

test("an invited person creates an account and is signed in, and the link works once", async () => {
  const people = part("People");
  await openAccount(owner);
  await people.getByRole("button", { name: "Invite someone" }).click();
  const link = await people.locator(".copy code").innerText();
  assert.ok(link.startsWith(`${platform.pages}/auth/join#`));
  await people.getByText("Open invitation").waitFor();

  await changePerson(page);
  await page.goto(link);
  await page.getByText(`${OWNER.name} invites you to this Backplane.`).waitFor();
  assert.equal(page.url(), `${platform.pages}/auth/join`, "no secret in the address");
  const fill = async (fields: Record<string, string>) => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole("button", { name: "Create account" }).click();
  };
  await fill({ Name: OWNER.name, Email: "grace@example.org", Password: INVITED_PASSWORD });
  await page.getByText("This name is taken. Choose another one.").waitFor();
  assert.equal(await page.getByLabel("Email", { exact: true }).inputValue(), "grace@example.org");
  await fill({ Name: "grace" });
  await page.waitForURL(`${platform.pages}/`);
  await page.getByRole("link", { name: /^grace.*your account$/ }).click();
  await h1("grace").waitFor();
  assert.equal(await part("People").count(), 0, "only the owner sees this");

  await page.goto(link);
  await page.reload();
  await h1("This invitation no longer works").waitFor();
  await openAccount(owner);
  await people.getByRole("cell", { name: "grace@example.org", exact: true }).waitFor();
  assert.equal(await people.getByText("Open invitation").count(), 0);
});

test("the owner makes a link for a forgotten password; it works once, and everything else that had access ends", async () => {
  const mara = await newPerson("mara");
  const other = await mara.signIn();
  await openAccount(owner);
  const people = part("People");
  await people.getByRole("button", { name: "New password for mara" }).click();
  await people.getByText("Link for mara created.").waitFor();
  const link = await people.locator(".copy code").innerText();
  assert.ok(link.startsWith(`${platform.pages}/auth/reset#`));

  await changePerson(page);
  await page.goto(link);
  await page.getByText(/owner made this link at .*; it works once and for (59|60) more minutes\./).waitFor();
  assert.equal(page.url(), `${platform.pages}/auth/reset`, "no secret in the address");
  await page.getByText("Saving ends everything that has access: 2 sessions.").waitFor();
  await assertLooksRightInEveryLook(page, "/auth/reset");
  const save = async (password: string, again: string) => {
    await page.getByLabel("New password").fill(password);
    await page.getByLabel("Again").fill(again);
    await page.getByRole("button", { name: "Save password" }).click();
  };
  await save("short", "short");
  await page.getByText("Use 8 characters or more.").waitFor();
  await save("correct-horse-bench", "correct-horse-benc");
  await page.getByText("The two do not match. Type the second again.").waitFor();
  assert.equal(await isSignedIn(other), true);
  await save("correct-horse-bench", "correct-horse-bench");
  await h1("Password saved").waitFor();
  await page.getByText("2 sessions ended. You are signed in here as mara.").waitFor();
  assert.equal(await isSignedIn(other), false);
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await page.getByRole("link", { name: /^mara.*your account$/ }).waitFor();

  await page.goto(link);
  await page.reload();
  await h1("This link no longer works").waitFor();
  await assert.rejects(mara.signIn());
  await signInAs(platform.url, { name: "mara", password: "correct-horse-bench" });
});

test("an organisation is created and invites somebody, who is in it only after accepting", async () => {
  const [frank, gina] = [await newPerson("frank"), await newPerson("gina")];
  await openAccount(await frank.signIn());
  const organisations = part("Organisations");
  await organisations.getByRole("button", { name: "New organisation" }).click();
  await organisations.getByLabel("Name", { exact: true }).fill("gina");
  await organisations.getByRole("button", { name: "Create organisation" }).click();
  await organisations.getByRole("alert").waitFor();
  await organisations.getByLabel("Name", { exact: true }).fill("fieldworks");
  await organisations.getByRole("button", { name: "Create organisation" }).click();
  await organisations.getByText("1 member, you are an owner").waitFor();
  await page
    .locator(".page-head")
    .getByText(/fieldworks/)
    .waitFor();
  await organisations.getByRole("button", { name: "Show members of fieldworks" }).click();
  await organisations.getByLabel("Invite a member").fill("gina");
  await organisations.getByRole("button", { name: "Invite", exact: true }).click();
  await organisations.getByRole("button", { name: "Withdraw the invitation of gina" }).waitFor();
  await organisations.getByText("1 member, you are an owner").waitFor();

  const theirs = await gina.signIn();
  const memberships = async () => {
    const user = await (await theirs.call(platform.url, "/user")).json();
    return (user as { organisations: unknown }).organisations;
  };
  assert.deepEqual(await memberships(), []);
  await openAccount(theirs);
  await organisations.getByText("frank invites you as a member").waitFor();
  await organisations.getByRole("button", { name: "Join fieldworks" }).click();
  await organisations.getByText("2 members, you are a member").waitFor();
  assert.deepEqual(await memberships(), [{ name: "fieldworks", role: "member" }]);
});

test("a removed person's files are gone, and the next person with that name finds nothing of them", async () => {
  const file = "/api/workspaces/editor/ivan/rover/current/files/plan.txt";
  const put = async ({ cookie }: Person) => {
    const headers = { cookie, origin: platform.url, "if-none-match": "*" };
    return (await fetch(`${platform.url}${file}`, { method: "PUT", headers, body: "secret" })).status;
  };
  assert.equal(await put(await (await newPerson("ivan")).signIn()), 201);
  const { name: rival, signIn } = await newPerson("rival");
  assert.equal((await (await signIn()).call(platform.url, file)).status, 403);

  await openAccount(owner);
  const people = part("People");
  for (const name of ["ivan", rival]) {
    await people.getByRole("button", { name: `Remove ${name}`, exact: true }).click();
    await people
      .getByText("Workspaces with their files, and organisations that nobody else is in, are deleted.")
      .waitFor();
    await people.getByRole("button", { name: `Remove account: Remove ${name}` }).click();
    await people.getByRole("status").getByText(`${name} removed`).waitFor({ state: "attached" });
  }
  const next = await (await newPerson("ivan")).signIn();
  assert.equal((await next.call(platform.url, file)).status, 404);
  assert.equal(await put(next), 201, "a project of the new person");
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

test("only a browser of the owner announces and replaces the signing key, and not before it was announced for a week", async () => {
  const { token } = await createIntent(platform.url, { app_name: "deploy" });
  assert.equal((await owner.decide(platform.url, token)).status, 200);
  const status = await fetch(`${platform.url}/auth/intents/${token}/status`);
  const { session_token: program } = (await status.json()) as { session_token: string };
  const named = { name: "deploy", scopes: ["read", "publish", "panels"] };
  const made = await owner.call(platform.url, "/auth/api-keys", { method: "POST", body: named });
  const { key } = (await made.json()) as { key: string };
  for (const secret of [program, key]) {
    const headers = { authorization: `Bearer ${secret}` };
    const refused = await fetch(`${platform.url}/registry/keys`, { method: "POST", headers });
    const { code } = (await refused.json()) as { code: string };
    assert.deepEqual([refused.status, code], [403, "browser-session-needed"]);
  }

  await openAccount(owner);
  const section = part("Signing key");
  await section.getByRole("button", { name: "Announce the next key" }).click();
  await section.getByRole("button", { name: "Announce it" }).click();
  await section.getByText(/can replace the current key from/).waitFor();
  assert.equal(await section.getByRole("row").count(), 3, "the head, the current key and the next one");
  assert.equal(await section.getByRole("button").count(), 0, "it is too early to replace the key");
  const early = await owner.call(platform.url, "/registry/keys", { method: "POST", body: { promote: true } });
  const { code } = (await early.json()) as { code: string };
  assert.deepEqual([early.status, code], [409, "key-too-new"]);
});

test("account, sign-in and invitation, in every look: no serious axe findings, no horizontal scrolling", async () => {
  const person = await signInAs(platform.url);
  const long = "x".repeat(80);
  const body = { name: long, scopes: ["read", "publish", "panels"] };
  await person.call(platform.url, "/auth/api-keys", { method: "POST", body });
  const { token } = await createIntent(platform.url, { app_name: long });
  await person.decide(platform.url, token);

  // sign-in-ways.test.ts checks the card for signing in.
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
