import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenidAddress } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import type { Browser } from "../passkeys/browser.suite.ts";
import { startOpenidSite } from "./openid-site.suite.ts";

const LINK = "/auth/openid/link";

async function beginLink(browser: Browser): Promise<string> {
  const answer = await browser.ask(LINK, { method: "POST" });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return ((await answer.json()) as OpenidAddress).url;
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

/** Linking an account to a person at the provider, and unlinking it, on a real engine. */
export function testOpenidLink(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: a signed-in person links the account, and can then sign in through the provider`, async (t) => {
    const site = await startOpenidSite(t, open);
    const userId = await site.addUser("ada");
    const browser = await site.signedIn(userId);
    assert.deepEqual(await (await browser.ask(LINK)).json(), { linked: false });
    const callback = await site.walk(browser, await beginLink(browser));
    assert.equal(await site.bringBack(browser, callback), "/account");
    assert.deepEqual(await (await browser.ask(LINK)).json(), { linked: true });
    assert.equal((await site.sessions()).length, 1);
    assert.equal(await site.signIn(site.browser()), "/");
    const again = await site.walk(browser, await beginLink(browser));
    assert.equal(await site.bringBack(browser, again), "/account");
  });

  test(`${engine}: a person at the provider belongs to one account`, async (t) => {
    const site = await startOpenidSite(t, open);
    await site.addIdentity(await site.addUser("ada"));
    const eve = await site.signedIn(await site.addUser("eve"));
    const callback = await site.walk(eve, await beginLink(eve));
    assert.equal(await site.bringBack(eve, callback), "/account?fault=openid-taken");
    assert.deepEqual(await (await eve.ask(LINK)).json(), { linked: false });
  });

  rule(`${engine}: only the browser that asked can finish, and only while its session lasts`, async (t) => {
    const site = await startOpenidSite(t, open);
    const ada = await site.signedIn(await site.addUser("ada"));
    const eve = await site.signedIn(await site.addUser("eve"));
    const evesCallback = await site.walk(eve, await beginLink(eve));
    assert.equal(await site.bringBack(ada, evesCallback), "/auth/sign-in?fault=openid-failed");
    const callback = await site.walk(ada, await beginLink(ada));
    await site.database.durable.deleteFrom("sessions").execute();
    assert.equal(await site.bringBack(ada, callback), "/account?fault=openid-failed");
    assert.deepEqual(await site.database.durable.selectFrom("identities").selectAll().execute(), []);
  });

  rule(`${engine}: a person who declines to link stays signed in, and the account page says so`, async (t) => {
    const site = await startOpenidSite(t, open);
    const ada = await site.signedIn(await site.addUser("ada"));
    site.provider.atKeyboard.cancels = true;
    const callback = await site.walk(ada, await beginLink(ada));
    assert.equal(await site.bringBack(ada, callback), "/account?fault=openid-declined");
    assert.deepEqual(await (await ada.ask(LINK)).json(), { linked: false });
  });

  rule(`${engine}: only a signed-in browser can link and unlink, from a page on this origin`, async (t) => {
    const site = await startOpenidSite(t, open);
    const userId = await site.addUser("ada");
    const ada = await site.signedIn(userId);
    const authorization = `Bearer ${await site.addSession(userId, "Application")}`;
    for (const method of ["POST", "DELETE"]) {
      assert.equal((await site.browser().ask(LINK, { method })).status, 401);
      const program = await site.browser().ask(LINK, { method, headers: { authorization } });
      assert.deepEqual([program.status, await codeOf(program)], [403, "browser-session-needed"]);
      const forged = await ada.ask(LINK, { method, headers: { origin: "https://evil.example" } });
      assert.deepEqual([forged.status, await codeOf(forged)], [403, "foreign-page"]);
    }
    const cookie = `session_token=${ada.cookie("session_token")}`;
    const origin = site.url.replace("localhost", "127.0.0.1");
    const elsewhere = await ada.ask(`${origin}${LINK}`, { method: "POST", headers: { cookie, origin } });
    assert.equal(elsewhere.status, 400);
  });

  rule(`${engine}: linking to a provider that does not answer fails with an explanation`, async (t) => {
    const site = await startOpenidSite(t, open);
    const ada = await site.signedIn(await site.addUser("ada"));
    await site.provider.stop();
    const answer = await ada.ask(LINK, { method: "POST" });
    assert.deepEqual([answer.status, await codeOf(answer)], [502, "openid-failed"]);
  });

  rule(`${engine}: a link can be removed while a password is left, and then no longer signs in`, async (t) => {
    const site = await startOpenidSite(t, open);
    const userId = await site.addUser("ada");
    await site.addIdentity(userId);
    const ada = await site.signedIn(userId);
    assert.equal((await ada.ask(LINK, { method: "DELETE" })).status, 204);
    assert.equal((await ada.ask(LINK, { method: "DELETE" })).status, 404);
    assert.equal(await site.signIn(site.browser()), "/auth/sign-in?fault=openid-unknown");
  });

  test(`${engine}: the last way to sign in stays, even when link and passkey are removed at the same time`, async (t) => {
    const site = await startOpenidSite(t, open);
    const userId = await site.addUser("ada", { password: "" });
    await site.addIdentity(userId);
    const ada = await site.signedIn(userId);
    const refused = await ada.ask(LINK, { method: "DELETE" });
    assert.equal(refused.status, 409);
    const addPasskeyRow = (user_id: string) =>
      site.database.durable
        .insertInto("passkeys")
        .values({
          id: "key",
          user_id,
          rp_id: "localhost",
          public_key: "",
          counter: 0,
          transports: "",
          name: "",
          created_at_ms: 1,
          last_used_at_ms: null,
        })
        .execute();
    for (let round = 0; round < 5; round += 1) {
      await site.database.durable.deleteFrom("identities").execute();
      await site.database.durable.deleteFrom("passkeys").execute();
      await site.addIdentity(userId);
      await addPasskeyRow(userId);
      const answers = await Promise.all([
        ada.ask(LINK, { method: "DELETE" }),
        ada.ask("/auth/passkeys/key", { method: "DELETE" }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
    }
  });
}
