import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PASSKEY_LIMITS, type Passkey } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { addPasskey, isPasskeyRefused, requestOptions, signIn } from "./ceremonies.suite.ts";
import { servePasskeys } from "./routes.ts";
import { startSite } from "./site.suite.ts";
import { type Lies, SoftwareAuthenticator } from "./software-authenticator.suite.ts";

/** Signing in with an authenticator that makes real signatures, on a real engine. */
export function testPasskeySignIn(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  const start = (t: TestContext) => startSite(t, open, servePasskeys);

  test(`${engine}: a person with the key is signed in without giving a name`, async (t) => {
    const { url, clock, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    const account = await signedIn(await addUser("ada"));
    await addPasskey(account, authenticator);
    const visitor = browser();
    const options = await requestOptions(visitor);
    assert.deepEqual(Object.keys(options).sort(), ["challenge", "rpId", "timeout", "userVerification"]);
    const answer = await signIn(visitor, authenticator, {}, options);
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { name: string }).name, "ada");
    assert.ok(visitor.cookie("session_token"));
    const { passkeys } = (await (await visitor.ask("/auth/passkeys")).json()) as { passkeys: Passkey[] };
    assert.equal(passkeys[0]?.last_used_at, new Date(clock.nowMs).toISOString());
  });

  rule(`${engine}: only an exactly right signature is accepted`, async (t) => {
    const { url, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    const evesAuthenticator = new SoftwareAuthenticator(url);
    await addPasskey(await signedIn(await addUser("ada")), authenticator);
    await addPasskey(await signedIn(await addUser("eve")), evesAuthenticator);
    const adas = authenticator.keys[0];
    const eves = evesAuthenticator.keys[0];
    authenticator.counter = 10;
    const visitor = browser();
    assert.equal((await signIn(visitor, authenticator)).status, 200);
    const lies: Lies[] = [
      { tamper: true },
      { origin: "https://evil.example" },
      { rpId: "evil.example" },
      { type: "webauthn.create" },
      { present: false },
      { crossOrigin: true },
      { crossOrigin: true, topOrigin: "https://evil.example" },
      { counter: 10 },
      { counter: 9 },
      { counter: 0 },
      { userHandle: undefined },
      { userHandle: eves?.userHandle },
      { id: eves?.id ?? "" },
      { id: eves?.id ?? "", userHandle: eves?.userHandle },
      { id: "unknown" },
    ];
    const stranger = browser();
    for (const lie of lies) await isPasskeyRefused(signIn(stranger, authenticator, lie));
    const evesKeyForAda = { id: adas?.id ?? "", userHandle: adas?.userHandle };
    evesAuthenticator.counter = 50;
    await isPasskeyRefused(signIn(stranger, evesAuthenticator, evesKeyForAda));
    assert.equal(stranger.cookie("session_token"), undefined);
    assert.equal((await signIn(visitor, authenticator)).status, 200);
  });

  test(`${engine}: of eight sign-ins at once with the same counter, exactly one wins`, async (t) => {
    const { url, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    await addPasskey(await signedIn(await addUser("ada")), authenticator);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => signIn(browser(), authenticator, { counter: 7 })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
  });

  test(`${engine}: a recorded sign-in is worthless: sent again from any browser, at any time, even by a key without a counter`, async (t) => {
    const { url, clock, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    authenticator.counter = 0;
    await addPasskey(await signedIn(await addUser("ada")), authenticator);
    const ada = browser();
    const options = await requestOptions(ada);
    const credential = authenticator.get(options, { counter: 0 });
    const send = (by: typeof ada) => by.ask("/auth/passkeys/sign-in", { method: "POST", body: { credential } });
    const racing = await Promise.all([ada, browser(), browser(), browser()].map(send));
    assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    const thief = browser();
    await isPasskeyRefused(send(thief));
    // With a new challenge the old signature does not fit.
    const { challenge } = await requestOptions(thief);
    const clientData = JSON.parse(Buffer.from(credential.response.clientDataJSON, "base64url").toString());
    const clientDataJSON = Buffer.from(JSON.stringify({ ...clientData, challenge })).toString("base64url");
    const patched = { ...credential, response: { ...credential.response, clientDataJSON } };
    await isPasskeyRefused(thief.ask("/auth/passkeys/sign-in", { method: "POST", body: { credential: patched } }));
    clock.nowMs += PASSKEY_LIMITS.challengeLifeMs + 1;
    await isPasskeyRefused(send(thief));
    assert.equal(thief.cookie("session_token"), undefined);
  });

  rule(`${engine}: an authenticator without a counter can sign in any number of times`, async (t) => {
    const { url, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    authenticator.counter = 0;
    await addPasskey(await signedIn(await addUser("ada")), authenticator);
    assert.equal((await signIn(browser(), authenticator)).status, 200);
    assert.equal((await signIn(browser(), authenticator, { verified: false })).status, 200);
  });

  rule(`${engine}: a flood of sign-ins gets 429`, async (t) => {
    const { browser } = await start(t);
    const visitor = browser();
    const ask = () => visitor.ask("/auth/passkeys/sign-in/options", { method: "POST" });
    for (let count = 0; count < PASSKEY_LIMITS.signInsPerMinute; count += 1) assert.equal((await ask()).status, 200);
    const refused = await ask();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  });
}
