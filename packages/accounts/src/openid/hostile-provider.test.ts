import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { endlessAnswer } from "../../../../scripts/testing/endless-answer.ts";
import { createOpenidProvider } from "./provider.ts";

const redirectUri = "http://localhost/auth/openid/callback";
const CLIENT = { clientId: "backplane", clientSecret: "not-a-secret-but-long-enough-for-hs256" };
const FLOW = {
  state: "the-state",
  nonce: "the-nonce",
  verifier: "v".repeat(43),
  browser: "b",
  returnTo: "/",
  link: null,
};
const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const [OURS, THEIRS] = [newKey(), newKey()];

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(header: Record<string, unknown>, claims: unknown, key?: KeyObject | string): string {
  const text = `${base64({ typ: "JWT", ...header })}.${base64(claims)}`;
  if (key === undefined) return `${text}.`;
  const signature =
    typeof key === "string"
      ? createHmac("sha256", key).update(text).digest("base64url")
      : sign("sha256", Buffer.from(text), key).toString("base64url");
  return `${text}.${signature}`;
}

type Answers = {
  metadata?: Record<string, unknown>;
  idToken?: (claims: Record<string, unknown>) => string;
  /** Instead of the usual answer at this path. */
  at?: Record<string, (response: ServerResponse) => void>;
};

/** A provider that answers as an attacker wants. */
async function startHostile(t: TestContext, answers: Answers) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", issuer).pathname;
    heard.push(path);
    const own = answers.at?.[path];
    if (own) return own(response);
    const json = (value: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (path === "/.well-known/openid-configuration") return json({ ...metadata, ...answers.metadata });
    if (path === "/jwks")
      return json({ keys: [{ ...OURS.publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
    if (path === "/token") return json({ access_token: "a", token_type: "Bearer", id_token: idToken() });
    if (path === "/userinfo") return json({ sub: "sub-eve", email: "eve@example.org", email_verified: true });
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
  };
  const nowS = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, sub: "sub-ada", aud: CLIENT.clientId, nonce: FLOW.nonce, iat: nowS, exp: nowS + 600 };
  const idToken = () => (answers.idToken ?? good)(claims);
  const provider = createOpenidProvider({
    openid: { issuer, ...CLIENT, name: "Example" },
    redirectUri,
    fetch,
    now: Date.now,
  });
  const answer = (more: Record<string, string> = {}) =>
    `?${new URLSearchParams({ code: "code", state: FLOW.state, iss: issuer, ...more })}`;
  return { issuer, heard, provider, redeem: (search = answer()) => provider.redeem(search, FLOW.state, FLOW), answer };
}

const RS256 = { alg: "RS256", kid: "1" };
const good = (claims: unknown) => token(RS256, claims, OURS.privateKey);

test("an honest answer is accepted", async (t) => {
  const { redeem, issuer } = await startHostile(t, {});
  assert.deepEqual((await redeem()).identity, { issuer, subject: "sub-ada" });
});

test("mix-up: an answer of another provider, or without the issuer that the provider always names, is refused", async (t) => {
  const { redeem, answer, heard } = await startHostile(t, {});
  await assert.rejects(redeem(answer({ iss: "https://evil.example" })));
  await assert.rejects(redeem(`?${new URLSearchParams({ code: "code", state: FLOW.state })}`));
  await assert.rejects(redeem(answer({ state: "another" })));
  await assert.rejects(redeem(`${answer()}&code=another`));
  assert.ok(!heard.includes("/token"), "the code is not sent anywhere");
});

const BAD_TOKENS: [what: string, idToken: NonNullable<Answers["idToken"]>][] = [
  ["signed with another key", (claims) => token(RS256, claims, THEIRS.privateKey)],
  ["without a signature", (claims) => token({ alg: "none" }, claims)],
  ["with an empty signature", (claims) => `${token(RS256, claims)}`],
  ["signed with the client's secret", (claims) => token({ alg: "HS256" }, claims, CLIENT.clientSecret)],
  [
    "signed with the public key as a secret",
    (claims) =>
      token({ alg: "HS256", kid: "1" }, claims, String(OURS.publicKey.export({ format: "pem", type: "spki" }))),
  ],
  [
    "that brings its own key",
    (claims) => token({ ...RS256, jwk: THEIRS.publicKey.export({ format: "jwk" }) }, claims, THEIRS.privateKey),
  ],
  [
    "that names where its key is",
    (claims) => token({ ...RS256, jku: "http://127.0.0.1:1/keys", kid: "2" }, claims, THEIRS.privateKey),
  ],
  ["with a critical extension", (claims) => token({ ...RS256, crit: ["x"], x: 1 }, claims, OURS.privateKey)],
  ["of another issuer", (claims) => good({ ...claims, iss: "https://evil.example" })],
  ["for another client", (claims) => good({ ...claims, aud: "another" })],
  ["for two clients", (claims) => good({ ...claims, aud: [CLIENT.clientId, "another"] })],
  ["replayed from another sign-in", (claims) => good({ ...claims, nonce: "another-nonce" })],
  ["without a nonce", ({ nonce: _, ...claims }) => good(claims)],
  ["that has expired", (claims) => good({ ...claims, exp: Number(claims.iat) - 3_600 })],
  ["without an end", ({ exp: _, ...claims }) => good(claims)],
  ["without a subject", ({ sub: _, ...claims }) => good(claims)],
  ["with a subject that is not text", (claims) => good({ ...claims, sub: { toString: "sub-ada" } })],
  ["with an empty subject", (claims) => good({ ...claims, sub: "" })],
  ["with a subject of more than 255 characters", (claims) => good({ ...claims, sub: "a".repeat(256) })],
  ["with NUL in its subject", (claims) => good({ ...claims, sub: "sub\0ada" })],
  ["with half of a surrogate pair in its subject", (claims) => good({ ...claims, sub: "sub\ud800" })],
  ["that was given to another client", (claims) => good({ ...claims, azp: "another" })],
  ["whose client is not text", (claims) => good({ ...claims, azp: [CLIENT.clientId] })],
  ["that is not a token", () => "<html>"],
];
for (const [what, idToken] of BAD_TOKENS) {
  test(`an ID token ${what} is refused`, async (t) => {
    const { redeem } = await startHostile(t, { idToken });
    await assert.rejects(redeem());
  });
}

test("claims about another person are refused", async (t) => {
  const { redeem } = await startHostile(t, {});
  const { describePerson } = await redeem();
  await assert.rejects(describePerson());
});

for (const path of ["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"]) {
  test(`an answer at ${path} that never ends is cut off at its limit`, async (t) => {
    const endless = endlessAnswer();
    const at = {
      [path]: (response: ServerResponse) => endless.write(response.setHeader("content-type", "application/json")),
    };
    const { redeem } = await startHostile(t, { at });
    await assert.rejects(redeem().then(({ describePerson }) => describePerson()));
    assert.ok(await endless.wasCutOff());
  });

  test(`a redirect at ${path} is not followed`, async (t) => {
    const inside = await startHostile(t, {});
    for (const status of [301, 302, 307, 308]) {
      const at = {
        [path]: (response: ServerResponse) => response.writeHead(status, { location: `${inside.issuer}${path}` }).end(),
      };
      const { redeem } = await startHostile(t, { at });
      await assert.rejects(redeem().then(({ describePerson }) => describePerson()));
    }
    assert.deepEqual(inside.heard, []);
  });
}
