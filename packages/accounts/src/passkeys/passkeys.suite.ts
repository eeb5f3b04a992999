import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PASSKEY_LIMITS, type Passkey } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import {
  addPasskey,
  codeOf,
  creationOptions,
  isPasskeyRefused,
  isRefused,
  requestOptions,
  signIn,
} from "./ceremonies.suite.ts";
import { servePasskeys } from "./routes.ts";
import { startSite } from "./site.suite.ts";
import { type Lies, SoftwareAuthenticator } from "./software-authenticator.suite.ts";

/** Passkeys of an account, with an authenticator that makes real keys, on a real engine. */
export function testPasskeys(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  const start = (t: TestContext) => startSite(t, open, servePasskeys);

  test(`${engine}: a passkey is added, listed, renamed and removed, and answers contain metadata only`, async (t) => {
    const { url, clock, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const made = await addPasskey(browser, new SoftwareAuthenticator(url), { name: " Blue key " });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get("cache-control"), "no-store");
    const passkey = (await made.json()) as Passkey;
    const created_at = new Date(clock.nowMs).toISOString();
    assert.deepEqual(passkey, { id: passkey.id, name: "Blue key", created_at, last_used_at: null });

    const address = `/auth/passkeys/${passkey.id}`;
    const renamed = await browser.ask(address, { method: "PATCH", body: { name: "Red key" } });
    assert.deepEqual(await renamed.json(), { ...passkey, name: "Red key" });
    const listed = await browser.ask("/auth/passkeys");
    assert.deepEqual(await listed.json(), { passkeys: [{ ...passkey, name: "Red key" }] });
    assert.equal((await browser.ask(address, { method: "DELETE" })).status, 204);
    assert.deepEqual(await (await browser.ask("/auth/passkeys")).json(), { passkeys: [] });
    assert.equal((await browser.ask(address, { method: "DELETE" })).status, 404);
    assert.equal((await browser.ask(address, { method: "PATCH", body: { name: "x" } })).status, 404);
  });

  rule(`${engine}: the options contain the requested host, the person, and the existing passkeys`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const userId = await addUser("ada");
    const browser = await signedIn(userId);
    const authenticator = new SoftwareAuthenticator(url);
    await addPasskey(browser, authenticator);
    const options = await creationOptions(browser);
    assert.equal(options.rp.id, "localhost");
    assert.equal(Buffer.from(options.user.id, "base64url").toString(), userId);
    assert.equal(options.user.name, "ada");
    assert.equal(options.authenticatorSelection.residentKey, "required");
    assert.equal(options.authenticatorSelection.userVerification, "preferred");
    assert.deepEqual(options.excludeCredentials, [
      { id: authenticator.keys[0]?.id, type: "public-key", transports: ["internal", "hybrid"] },
    ]);
  });

  test(`${engine}: a challenge is accepted once, for its purpose, from its person, within 5 minutes`, async (t) => {
    const { url, clock, addUser, signedIn, browser } = await start(t);
    const authenticator = new SoftwareAuthenticator(url);
    const ada = await signedIn(await addUser("ada"));
    const eve = await signedIn(await addUser("eve"));
    const options = await creationOptions(ada);
    assert.equal((await addPasskey(ada, authenticator, {}, {}, options)).status, 201);
    await isRefused(addPasskey(ada, authenticator, {}, {}, options));

    const ofAda = await creationOptions(ada);
    await isRefused(addPasskey(eve, authenticator, {}, {}, ofAda));
    await isRefused(addPasskey(ada, authenticator, {}, { challenge: (await requestOptions(ada)).challenge }));
    const old = await creationOptions(ada);
    clock.nowMs += PASSKEY_LIMITS.challengeLifeMs;
    await isRefused(addPasskey(ada, authenticator, {}, {}, old));

    authenticator.keys.splice(1);
    const visitor = browser();
    const request = await requestOptions(visitor);
    const credential = authenticator.get(request);
    const send = () => visitor.ask("/auth/passkeys/sign-in", { method: "POST", body: { credential } });
    const [one, two] = await Promise.all([send(), send()]);
    assert.deepEqual([one.status, two.status].sort(), [200, 401]);
    await isPasskeyRefused(send());
    const { challenge } = await creationOptions(ada);
    await isPasskeyRefused(signIn(visitor, authenticator, { challenge }));
    await isPasskeyRefused(signIn(visitor, authenticator, { challenge: "A".repeat(43) }));
    const late = await requestOptions(visitor);
    clock.nowMs += PASSKEY_LIMITS.challengeLifeMs;
    await isPasskeyRefused(signIn(visitor, authenticator, {}, late));
    assert.equal((await signIn(visitor, authenticator)).status, 200);
  });

  rule(`${engine}: a passkey made for another page, host or purpose is not added`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const lies: Lies[] = [
      { origin: "https://evil.example" },
      { origin: url.replace("http:", "https:") },
      { origin: url.replace("localhost", "localhost.evil.example") },
      { crossOrigin: true },
      { crossOrigin: true, topOrigin: "https://evil.example" },
      { rpId: "evil.example" },
      { type: "webauthn.get" },
      { present: false },
      { certificate: Buffer.from("a certificate") },
    ];
    for (const lie of lies) await isRefused(addPasskey(browser, new SoftwareAuthenticator(url), {}, lie));
    assert.deepEqual(await (await browser.ask("/auth/passkeys")).json(), { passkeys: [] });
  });

  rule(`${engine}: an IP address cannot have passkeys, and the answer says what to do`, async (t) => {
    const { url, addUser, signedIn, addSession } = await start(t);
    const userId = await addUser("ada");
    const origin = url.replace("localhost", "127.0.0.1");
    const headers = { cookie: `session_token=${await addSession(userId, "Browser")}`, origin };
    const browser = await signedIn(userId);
    for (const path of ["/auth/passkeys/options", "/auth/passkeys/sign-in/options"]) {
      const answer = await browser.ask(`${origin}${path}`, { method: "POST", headers });
      assert.equal(answer.status, 400);
      assert.match(((await answer.json()) as { detail: string }).detail, /by its name, such as localhost/);
    }
  });

  rule(
    `${engine}: only a signed-in browser, on a page of this origin, can manage passkeys, and only its own`,
    async (t) => {
      const { url, addUser, addSession, signedIn, browser } = await start(t);
      const userId = await addUser("ada");
      const ada = await signedIn(userId);
      const { id } = (await (await addPasskey(ada, new SoftwareAuthenticator(url))).json()) as Passkey;
      const eve = await signedIn(await addUser("eve"));
      const authorization = `Bearer ${await addSession(userId, "Application")}`;
      const calls = [
        ["POST", "/auth/passkeys/options", undefined],
        ["GET", "/auth/passkeys", undefined],
        ["PATCH", `/auth/passkeys/${id}`, { name: "x" }],
        ["DELETE", `/auth/passkeys/${id}`, undefined],
      ] as const;
      for (const [method, path, body] of calls) {
        const nobody = await browser().ask(path, { method, body });
        assert.equal(nobody.status, 401, path);
        assert.equal(nobody.headers.get("cache-control"), "no-store");
        const program = await browser().ask(path, { method, body, headers: { authorization } });
        assert.deepEqual([program.status, await codeOf(program)], [403, "browser-session-needed"]);
        if (method === "GET") continue;
        const forged = await ada.ask(path, { method, body, headers: { origin: "https://evil.example" } });
        assert.deepEqual([forged.status, await codeOf(forged)], [403, "foreign-page"]);
      }
      assert.equal((await eve.ask(`/auth/passkeys/${id}`, { method: "DELETE" })).status, 404);
      assert.equal((await eve.ask(`/auth/passkeys/${id}`, { method: "PATCH", body: { name: "x" } })).status, 404);
      const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
      assert.equal((await browser().ask("/auth/passkeys/sign-in/options", foreign)).status, 403);
    },
  );

  test(`${engine}: an account has at most ${PASSKEY_LIMITS.maxPerUser} passkeys, however many are added at once`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const add = () => addPasskey(browser, new SoftwareAuthenticator(url));
    for (let count = 1; count < PASSKEY_LIMITS.maxPerUser; count += 1) assert.equal((await add()).status, 201);
    const answers = await Promise.all([add(), add(), add(), add()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const refused = await add();
    assert.equal(await codeOf(refused), "too-many-of-these");
  });

  test(`${engine}: a key can be registered only once`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const id = Buffer.from("the same credential").toString("base64url");
    const browser = await signedIn(await addUser("ada"));
    const eve = await signedIn(await addUser("eve"));
    assert.equal((await addPasskey(browser, new SoftwareAuthenticator(url), {}, { id })).status, 201);
    await isRefused(addPasskey(eve, new SoftwareAuthenticator(url), {}, { id }));
  });

  test(`${engine}: the only way to sign in cannot be removed, not even when both are removed at the same time`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada", { password: "" }));
    const authenticator = new SoftwareAuthenticator(url);
    await addPasskey(browser, authenticator);
    await addPasskey(browser, authenticator);
    const remove = (id = "") => browser.ask(`/auth/passkeys/${id}`, { method: "DELETE" });
    const answers = await Promise.all(authenticator.keys.map(({ id }) => remove(id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
    const { passkeys } = (await (await browser.ask("/auth/passkeys")).json()) as { passkeys: Passkey[] };
    assert.equal(passkeys.length, 1);
  });

  test(`${engine}: a session that was ended a moment ago cannot add a passkey, even where its end is not known yet`, async (t) => {
    const { url, database, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const options = await creationOptions(browser);
    await database.durable.deleteFrom("sessions").execute();
    const late = await addPasskey(browser, new SoftwareAuthenticator(url), {}, {}, options);
    assert.deepEqual([late.status, await codeOf(late)], [401, "not-signed-in"]);
    assert.deepEqual(await database.durable.selectFrom("passkeys").selectAll().execute(), []);
  });

  test(`${engine}: the name of a passkey is one line, whatever characters it was given with`, async (t) => {
    const { url, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const made = await addPasskey(browser, new SoftwareAuthenticator(url), { name: "Blue\u0000\nkey" });
    const passkey = (await made.json()) as Passkey;
    assert.deepEqual([made.status, passkey.name], [201, "Blue key"]);
    const address = `/auth/passkeys/${passkey.id}`;
    const renamed = await browser.ask(address, { method: "PATCH", body: { name: "\u0000Red" } });
    assert.deepEqual([renamed.status, ((await renamed.json()) as Passkey).name], [200, "Red"]);
    assert.equal((await browser.ask(address, { method: "PATCH", body: { name: "\u0000" } })).status, 422);
  });

  rule(`${engine}: unreadable input is refused, never an internal error, and none of it is logged`, async (t) => {
    const { url, lines, addUser, signedIn } = await start(t);
    const browser = await signedIn(await addUser("ada"));
    const authenticator = new SoftwareAuthenticator(url);
    const options = await creationOptions(browser);
    const good = authenticator.create(options);
    const bad: [field: string, value: unknown][] = [
      ["clientDataJSON", ""],
      ["clientDataJSON", "AAAA"],
      ["clientDataJSON", "not base64url!"],
      ["clientDataJSON", Buffer.from("null").toString("base64url")],
      ["clientDataJSON", Buffer.from('{"challenge":7}').toString("base64url")],
      ["clientDataJSON", "A".repeat(PASSKEY_LIMITS.maxFieldLength + 1)],
      ["attestationObject", ""],
      ["attestationObject", "AAAA"],
      ["attestationObject", good.response.attestationObject.slice(0, 40)],
      ["attestationObject", 7],
    ];
    for (const [field, value] of bad) {
      const { challenge } = await creationOptions(browser);
      const fresh = authenticator.create({ ...options, challenge });
      const credential = { ...fresh, response: { ...fresh.response, [field]: value } };
      const answer = await browser.ask("/auth/passkeys", { method: "POST", body: { credential } });
      assert.equal(answer.status, 422, `${field} ${String(value).slice(0, 20)}`);
    }
    for (const body of ["{", "[]", "7", {}, { credential: null }, { credential: good, name: " " }]) {
      const answer = await browser.ask("/auth/passkeys", { method: "POST", body });
      assert.ok([400, 422].includes(answer.status), String(answer.status));
    }
    const large = { credential: good, more: "x".repeat(PASSKEY_LIMITS.maxBodyBytes) };
    assert.equal((await browser.ask("/auth/passkeys", { method: "POST", body: large })).status, 413);
    assert.doesNotMatch(
      lines.join(""),
      new RegExp(`${options.challenge}|${good.id}|${browser.cookie("session_token")}`),
    );
  });
}
