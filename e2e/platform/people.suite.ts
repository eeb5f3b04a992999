import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { changePerson } from "../support/browser.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import { createIntent, INVITED_PASSWORD, type Person, signInAs } from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { onAccountPage, type PlatformBench, startSignedOut } from "./bench.ts";

/** What the owner does for other people, and organisations. */
export function testPeople(bench: () => PlatformBench): void {
  const { h1, part, newPerson, openAccount, isSignedIn } = onAccountPage(bench);
  let platform: RunningPlatform;
  let owner: Person;
  let page: Page;
  before(() => {
    ({ platform, owner, page } = bench());
  });
  startSignedOut(bench);

  test("an invited person creates an account and is signed in, and the link works once", async () => {
    const people = part("People");
    await openAccount(owner);
    await people.getByRole("button", { name: "Invite someone" }).click();
    const link = await people.locator(".copy code").innerText();
    assert.ok(link.startsWith(`${platform.pages}/auth/join#`));
    await people.getByText("This link opens only on the machine that runs Backplane.").waitFor();
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
}
