import assert from "node:assert/strict";
import { test } from "node:test";
import { OPENID_LIMITS } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { altered, startOpenidSite } from "./openid-site.suite.ts";

const FAILED = "/auth/sign-in?fault=openid-failed";

/** Signing in through a real provider, on a real engine. */
export function testOpenidSignIn(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  rule(
    `${engine}: start sends the browser to the provider with PKCE, state and nonce, and binds it with a cookie`,
    async (t) => {
      const { url, provider, browser } = await startOpenidSite(t, open);
      const answer = await browser().ask("/auth/openid/start");
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      const address = new URL(answer.headers.get("location") ?? "");
      assert.equal(address.origin, provider.issuer);
      const { state, nonce, code_challenge, ...rest } = Object.fromEntries(address.searchParams);
      for (const value of [state, nonce, code_challenge]) assert.match(value ?? "", /^[\w-]{43}$/);
      assert.deepEqual(rest, {
        client_id: provider.clientId,
        redirect_uri: `${url}/auth/openid/callback`,
        response_type: "code",
        scope: "openid profile email",
        code_challenge_method: "S256",
      });
      const [cookie = ""] = answer.headers.getSetCookie();
      assert.match(cookie, /^openid_flow=[\w-]{43}; Max-Age=600; Path=\/auth\/openid; HttpOnly; SameSite=Lax$/);
    },
  );

  test(`${engine}: a person confirmed by the provider is signed in and returns to the requested page`, async (t) => {
    const { browser, addUser, addIdentity, signIn, sessions } = await startOpenidSite(t, open);
    const userId = await addUser("ada");
    await addIdentity(userId);
    const visitor = browser();
    assert.equal(await signIn(visitor, "?return_to=%2Fauth%2Fintent%3Ftoken%3Dabc"), "/auth/intent?token=abc");
    assert.ok(visitor.cookie("session_token"));
    assert.equal(visitor.cookie("openid_flow"), undefined);
    assert.deepEqual(
      (await sessions()).map(({ user_id, kind }) => [user_id, kind]),
      [[userId, "Browser"]],
    );
    assert.deepEqual(await (await visitor.ask("/auth/openid/link")).json(), { linked: true });
  });

  for (const clientAuth of ["client_secret_post", "none"] as const) {
    rule(`${engine}: a provider that accepts only ${clientAuth} is called that way`, async (t) => {
      const { browser, addUser, addIdentity, signIn } = await startOpenidSite(t, open, { clientAuth });
      await addIdentity(await addUser("ada"));
      assert.equal(await signIn(browser()), "/");
    });
  }

  rule(`${engine}: a return path cannot lead to another site`, async (t) => {
    const { browser, addUser, addIdentity, signIn } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    for (const trick of ["//evil.example", "/\\evil.example", "https://evil.example", "/%09/evil.example"]) {
      assert.equal(await signIn(browser(), `?${new URLSearchParams({ return_to: trick })}`), "/");
    }
  });

  rule(`${engine}: a person without an account here gets an explanation, and nothing is created`, async (t) => {
    const { browser, addUser, signIn, users } = await startOpenidSite(t, open);
    await addUser("ada", { email: "ada@example.org" });
    const visitor = browser();
    assert.equal(
      await signIn(visitor, "?return_to=/account"),
      "/auth/sign-in?fault=openid-unknown&return_to=%2Faccount",
    );
    assert.equal(visitor.cookie("session_token"), undefined);
    assert.equal((await users()).length, 1);
  });

  test(`${engine}: where registration is open, an account is created, once`, async (t) => {
    const { browser, signIn, users, sessions } = await startOpenidSite(t, open, { openRegistration: true });
    assert.equal(await signIn(browser()), "/");
    assert.equal(await signIn(browser()), "/");
    const [user, ...more] = await users();
    assert.deepEqual(more, []);
    const { name, display_name, email, password_hash, is_owner } = user ?? {};
    assert.deepEqual(
      { name, display_name, email, password_hash, is_owner },
      { name: "ada", display_name: "Ada Lovelace", email: "ada@example.org", password_hash: "", is_owner: 0 },
    );
    assert.equal((await sessions()).length, 2);
  });

  test(`${engine}: an account is never found by its email address or name: a new one is created`, async (t) => {
    const site = await startOpenidSite(t, open, { openRegistration: true });
    const before = await site.addUser("ada", { email: "ADA@example.org" });
    await site.signIn(site.browser());
    const made = (await site.users()).find(({ id }) => id !== before);
    assert.deepEqual([made?.name, made?.email], ["ada-2", "ada-2@localhost"]);
    const sessions = await site.sessions();
    assert.deepEqual(
      sessions.map(({ user_id }) => user_id),
      [made?.id],
    );
  });

  rule(`${engine}: an email address that the provider has not verified is not used`, async (t) => {
    const people = { "sub-eve": { email: "eve@example.org", email_verified: false } };
    const { browser, signIn, users } = await startOpenidSite(t, open, { openRegistration: true, people });
    await signIn(browser());
    const [user] = await users();
    assert.deepEqual([user?.name, user?.email], ["eve", "eve@localhost"]);
  });

  test(`${engine}: a new person in four windows at once gets one account and four sessions`, async (t) => {
    const site = await startOpenidSite(t, open, { openRegistration: true });
    const browsers = Array.from({ length: 4 }, site.browser);
    const callbacks: string[] = [];
    for (const browser of browsers) callbacks.push(await site.goThere(browser));
    const ends = await Promise.all(browsers.map((browser, at) => site.bringBack(browser, callbacks[at] ?? "")));
    assert.deepEqual(ends, ["/", "/", "/", "/"]);
    assert.equal((await site.users()).length, 1);
    assert.equal((await site.sessions()).length, 4);
  });

  test(`${engine}: an answer is accepted once, even when it arrives twice at the same time`, async (t) => {
    const { browser, addUser, addIdentity, goThere, bringBack, sessions } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    const visitor = browser();
    const callback = await goThere(visitor);
    const cookie = `openid_flow=${visitor.cookie("openid_flow")}`;
    const ends = await Promise.all([bringBack(visitor, callback), bringBack(visitor, callback)]);
    assert.deepEqual(ends.sort(), ["/", FAILED]);
    const replayed = await browser().ask(callback, { headers: { cookie }, fromElsewhere: true });
    assert.match(replayed.headers.get("location") ?? "", /fault=openid-failed$/);
    assert.equal((await sessions()).length, 1);
  });

  rule(`${engine}: another browser can neither use an answer nor invalidate it`, async (t) => {
    const { browser, addUser, addIdentity, goThere, bringBack } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    const visitor = browser();
    const callback = await goThere(visitor);
    const bare = browser();
    assert.equal(await bringBack(bare, callback), FAILED);
    const busy = browser();
    await goThere(busy);
    assert.equal(await bringBack(busy, callback), FAILED);
    for (const other of [bare, busy]) assert.equal(other.cookie("session_token"), undefined);
    assert.equal(await bringBack(visitor, callback), "/");
  });

  rule(`${engine}: an answer that is late, repeated, without state or with a wrong state is refused`, async (t) => {
    const { url, clock, browser, addUser, addIdentity, goThere, bringBack } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    const visitor = browser();
    const callback = await goThere(visitor);
    for (const wrong of [
      `${url}/auth/openid/callback`,
      `${callback}&state=more`,
      altered(callback, "state", "x".repeat(43)),
      altered(callback, "state", "x".repeat(5_000)),
      altered(callback, "state", ""),
    ]) {
      assert.equal(await bringBack(visitor, wrong), FAILED);
    }
    clock.nowMs += OPENID_LIMITS.flowLifeMs;
    assert.equal(await bringBack(visitor, callback), FAILED);
    assert.equal(visitor.cookie("session_token"), undefined);
  });

  rule(`${engine}: a wrong nonce, verifier, issuer or code is refused`, async (t) => {
    const { browser, addUser, addIdentity, start, walk, goThere, bringBack } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    for (const name of ["nonce", "code_challenge"]) {
      const visitor = browser();
      const address = altered(await start(visitor), name, "x".repeat(43));
      assert.equal(await bringBack(visitor, await walk(visitor, address)), FAILED, name);
    }
    const attackers = new URL(await goThere(browser())).searchParams.get("code") ?? "";
    for (const [name, value] of [
      ["iss", "https://evil.example"],
      ["code", "x"],
      ["code", attackers],
    ] as const) {
      const visitor = browser();
      assert.equal(await bringBack(visitor, altered(await goThere(visitor), name, value)), FAILED, name);
      assert.equal(visitor.cookie("session_token"), undefined);
    }
  });

  rule(
    `${engine}: a person who declines gets an explanation and can try again; the declined attempt cannot be used`,
    async (t) => {
      const { provider, browser, addUser, addIdentity, goThere, bringBack, signIn } = await startOpenidSite(t, open);
      await addIdentity(await addUser("ada"));
      const visitor = browser();
      provider.atKeyboard.cancels = true;
      const callback = await goThere(visitor, "?return_to=/account");
      const declined = "/auth/sign-in?fault=openid-declined&return_to=%2Faccount";
      const cookie = `openid_flow=${visitor.cookie("openid_flow")}`;
      assert.equal(await bringBack(visitor, callback), declined);
      // As with the Back button, in a browser that kept its cookie.
      const again = await browser().ask(callback, { headers: { cookie }, fromElsewhere: true });
      assert.ok(again.headers.get("location")?.endsWith(FAILED));
      provider.atKeyboard.cancels = false;
      assert.equal(await signIn(visitor), "/");
    },
  );

  rule(`${engine}: a provider that does not answer is reported, and asked again once it is back`, async (t) => {
    const { provider, browser, addUser, addIdentity, start, goThere, bringBack, signIn } = await startOpenidSite(
      t,
      open,
    );
    await addIdentity(await addUser("ada"));
    await provider.stop();
    const early = await start(browser());
    assert.ok(early.endsWith(FAILED), early);
    await provider.restart();
    const visitor = browser();
    const callback = await goThere(visitor);
    await provider.stop();
    assert.equal(await bringBack(visitor, callback), FAILED);
    await provider.restart();
    assert.equal(await signIn(visitor), "/");
  });

  rule(
    `${engine}: a browser that came to another host is redirected, once, to the one that the provider knows`,
    async (t) => {
      const { url, provider, browser } = await startOpenidSite(t, open);
      const other = url.replace("localhost", "127.0.0.1");
      const moved = await browser().ask(`${other}/auth/openid/start?return_to=/account`);
      assert.equal(moved.headers.get("location"), `${url}/auth/openid/start?return_to=%2Faccount&moved=1`);
      assert.deepEqual(moved.headers.getSetCookie(), []);
      const again = await browser().ask(`${other}/auth/openid/start?moved=1`);
      assert.ok(again.headers.get("location")?.startsWith(provider.issuer));
    },
  );

  rule(`${engine}: no log line and no address contains a secret`, async (t) => {
    const { provider, lines, browser, addUser, addIdentity, goThere, bringBack } = await startOpenidSite(t, open);
    await addIdentity(await addUser("ada"));
    const visitor = browser();
    const callback = await goThere(visitor);
    const flow = visitor.cookie("openid_flow") ?? "";
    const { code = "", state = "" } = Object.fromEntries(new URL(callback).searchParams);
    assert.equal(await bringBack(visitor, altered(callback, "code", `${code}x`)), FAILED);
    const log = lines.join("");
    assert.match(log, /openid-failed/);
    for (const secret of [code, state, flow, provider.clientSecret ?? "?"]) {
      assert.ok(secret.length > 20 && !log.includes(secret));
    }
  });
}
