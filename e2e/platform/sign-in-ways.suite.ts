import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { changePerson, type Visit, visit } from "../support/browser.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import { type Credentials, createIntent, fillSignIn, makePerson } from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { ACCOUNTS } from "../support/provider.ts";
import { COMPANY, type PlatformBench, startSignedOut } from "./bench.ts";

const h1 = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const company = (page: Page) => page.getByRole("region", { name: "Company sign-in" });
const fault = (page: Page, words: string) => page.getByText(words).waitFor();

/** Signs in at the provider and allows the app. */
async function allow(page: Page): Promise<void> {
  await page.getByRole("button", { name: ACCOUNTS.ada.name }).click();
  await page.getByRole("button", { name: "Allow" }).click();
}

/** The company's provider, and passkeys. */
export function testSignInWays(bench: () => PlatformBench): void {
  let platform: RunningPlatform;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  before(() => {
    ({ platform, browser, seen, page } = bench());
  });
  startSignedOut(bench);

  async function signInByPassword(page: Page, credentials: Credentials = OWNER): Promise<void> {
    await page.goto(`${platform.pages}/account`);
    await fillSignIn(page, credentials);
    await h1(page, credentials.name).waitFor();
  }

  test("a person without an account gets an explanation, and cancelling at the provider changes nothing", async () => {
    await page.goto(`${platform.pages}/auth/sign-in?return_to=/packages`);
    await page.getByRole("link", { name: COMPANY }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await fault(page, `${COMPANY} declined, or you cancelled. Nothing has changed; try again or sign in below.`);
    await page.getByRole("link", { name: COMPANY }).click();
    await allow(page);
    await fault(page, `No account here is connected to you at ${COMPANY}.`);
    await fillSignIn(page);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.waitForURL(`${platform.pages}/packages`);
    assert.deepEqual(seen.complaints, []);
  });

  test("a person who connects the company on the account page can sign in through it until it is disconnected", async () => {
    await signInByPassword(page);
    await company(page).getByRole("button", { name: "Connect" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await h1(page, OWNER.name).waitFor();
    await fault(page, `${COMPANY} declined, or you cancelled.`);
    await company(page).getByRole("button", { name: "Connect" }).click();
    await allow(page);
    await page.waitForURL(`${platform.pages}/account`);
    await company(page).getByText("connected").waitFor();
    assert.deepEqual(seen.complaints, []);

    await changePerson(page);
    const intent = await createIntent(platform.url);
    await page.goto(intent.auth_url);
    await page.getByRole("link", { name: COMPANY }).click();
    await allow(page);
    await h1(page, `A program asks to sign in as ${OWNER.name}`).waitFor();
    assert.equal(page.url(), `${platform.pages}/auth/intent`);
    await page.getByRole("button", { name: "Approve" }).click();
    await h1(page, "The program is signed in").waitFor();

    await page.goto(`${platform.pages}/account`);
    await company(page).getByRole("button", { name: "Disconnect" }).click();
    await company(page).getByRole("button", { name: "Disconnect it" }).click();
    await company(page).getByRole("button", { name: "Connect" }).waitFor();
    // Browsers log every 401 as an error, also of a section that is still loading when the person signs out.
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: COMPANY }).click();
    await fault(page, `No account here is connected to you at ${COMPANY}.`);
    assert.deepEqual(seen.complaints, []);
  });

  test("a provider response that this browser did not request signs nobody in", async () => {
    await page.goto(`${platform.pages}/auth/openid/callback?code=stolen&state=${"x".repeat(43)}`);
    await fault(page, `${COMPANY} did not answer as expected. Try again, or sign in below.`);
    assert.deepEqual(await page.context().cookies(), []);
  });

  test("a sign-in that starts at another host name returns to the one registered at the provider", async () => {
    await page.goto(`${platform.url}/auth/sign-in?return_to=/packages`);
    await page.getByRole("link", { name: COMPANY }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await fault(page, `${COMPANY} declined, or you cancelled.`);
    assert.ok(page.url().startsWith(`${platform.pages}/auth/sign-in`));
  });

  test("a passkey is added, signs in without a name or password, and is removed", async () => {
    const erin = await makePerson(bench().owner, platform.url, "erin");
    await using seen = await visit(browser);
    const { page } = seen;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: { ...options, isUserVerified: true },
    });
    await signInByPassword(page, erin);
    const passkeys = page.getByRole("region", { name: "Passkeys" });
    await passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await passkeys.getByText("Passkey added").waitFor({ state: "attached" });
    await passkeys
      .getByText(/^Never used$/)
      .first()
      .waitFor({ state: "attached" });
    await passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await passkeys
      .getByText("This device already has a passkey for you. Use another device or security key.")
      .waitFor();

    // Autofill in the name field: this authenticator picks the passkey at once.
    const byOffer = page.waitForResponse("**/auth/passkeys/sign-in");
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal((await byOffer).status(), 200);
    await passkeys.getByRole("cell", { name: "Last used now" }).waitFor();

    // With the button, in a browser without passkey autofill.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await page.reload();
    const signOutAndUsePasskey = async () => {
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Use a passkey" }).click();
    };
    await signOutAndUsePasskey();
    await h1(page, "erin").waitFor();
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await signOutAndUsePasskey();
    await page.getByRole("alert").getByText("No passkey was used. Try again, or use your password.").waitFor();

    await fillSignIn(page, erin);
    await passkeys.getByRole("button", { name: /^Remove/ }).click();
    await passkeys.getByRole("button", { name: /^Remove passkey/ }).click();
    await passkeys.getByText("No passkeys.").waitFor();
  });

  test("at an IP address passkeys are not offered, and the page says where they work", async () => {
    await page.goto(`${platform.url}/auth/sign-in`);
    const port = new URL(platform.url).port;
    await page.getByText(`Passkeys do not work at 127.0.0.1. Open localhost:${port} to use one.`).waitFor();
    assert.equal(await page.getByRole("button", { name: "Use a passkey" }).count(), 0);
    assert.deepEqual(seen.complaints, []);
  });

  test("the sign-in page with every method and its errors, in every look: no serious axe findings", async () => {
    await page.goto(`${platform.pages}/auth/sign-in?fault=openid-declined`);
    await page.getByRole("link", { name: COMPANY }).waitFor();
    await assertLooksRightInEveryLook(page, "sign in");
    assert.deepEqual(seen.complaints, []);
  });
}
