import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { OAuthError, type OAuthErrorCode } from "../errors.ts";
import { answerJson, startTokenEndpoint } from "../testing/token-endpoint.ts";
import { type ExchangeOptions, exchangeCode } from "./exchange.ts";

const NOW_MS = Date.UTC(2030, 0, 1);
const SECRETS = ["the-code-0815", "the-client-secret-4711", "the-verifier-1234"];
const [CODE = "", CLIENT_SECRET = "", VERIFIER = ""] = SECRETS;

const ASKED = {
  code: CODE,
  clientId: "client-1",
  clientSecret: CLIENT_SECRET,
  redirectUri: "http://localhost:8795/callback",
  codeVerifier: VERIFIER,
  now: () => NOW_MS,
};

/** Exchanges at a token URL that gives this answer. */
async function exchangeAt(answer: (response: ServerResponse) => void, options: Partial<ExchangeOptions> = {}) {
  await using endpoint = await startTokenEndpoint((_call, response) => answer(response));
  const tokens = await exchangeCode({ ...ASKED, tokenUrl: endpoint.url, ...options });
  return { tokens, call: endpoint.calls[0] };
}

const answering =
  (status: number, body: unknown, headers = {}) =>
  (response: ServerResponse) =>
    answerJson(response, status, body, headers);

const SUCCESS = answering(200, { access_token: "at", token_type: "Bearer", expires_in: 3600, refresh_token: "rt" });

/** It fails with this code, and nothing of the error contains a secret. */
async function failsWith(exchange: Promise<unknown>, code: OAuthErrorCode, more: Partial<OAuthError> = {}) {
  await assert.rejects(exchange, (error: unknown) => {
    assert.ok(error instanceof OAuthError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, /\.$/);
    for (const [field, value] of Object.entries(more)) assert.deepEqual(error[field as keyof OAuthError], value);
    for (const secret of SECRETS) assert.ok(!inspect(error, { depth: 9 }).includes(secret), `${secret} in the error`);
    return true;
  });
}

test("Client POSTs to the provider's token URL with Content-Type application/x-www-form-urlencoded and fields code, client_id, client_secret, redirect_uri, grant_type=authorization_code", async () => {
  const { call } = await exchangeAt(SUCCESS);
  assert.equal(call?.method, "POST");
  assert.equal(call?.headers["content-type"], "application/x-www-form-urlencoded");
  assert.equal(call?.headers.authorization, undefined);
  assert.deepEqual(call?.form, {
    code: CODE,
    client_id: "client-1",
    client_secret: CLIENT_SECRET,
    redirect_uri: "http://localhost:8795/callback",
    grant_type: "authorization_code",
    code_verifier: VERIFIER,
  });
  assert.equal(call?.fields.length, 6);
});

test("with basic, neither id nor secret is in the form, and both are encoded as in RFC 6749 section 2.3.1", async () => {
  const { call } = await exchangeAt(SUCCESS, { clientAuth: "basic", clientId: "a:b", clientSecret: "c d%ä" });
  assert.deepEqual(call?.fields.sort(), ["code", "code_verifier", "grant_type", "redirect_uri"]);
  const [scheme, value = ""] = call?.headers.authorization?.split(" ") ?? [];
  assert.equal(scheme, "Basic");
  assert.equal(Buffer.from(value, "base64").toString(), "a%3Ab:c+d%25%C3%A4");
});

test("a public client sends only its id", async () => {
  const { clientSecret: _, ...open } = ASKED;
  await using endpoint = await startTokenEndpoint((_call, response) => SUCCESS(response));
  await exchangeCode({ ...open, tokenUrl: endpoint.url });
  assert.deepEqual(endpoint.calls[0]?.fields.sort(), [
    "client_id",
    "code",
    "code_verifier",
    "grant_type",
    "redirect_uri",
  ]);
});

test("the tokens have the time at which they expire, now plus expires_in seconds", async () => {
  assert.deepEqual((await exchangeAt(SUCCESS)).tokens, {
    accessToken: "at",
    refreshToken: "rt",
    expiresAt: NOW_MS + 3_600_000,
    tokenType: "Bearer",
  });
  const full = { access_token: "at", token_type: "bearer", expires_in: "60", scope: "a b", id_token: "jwt" };
  assert.deepEqual((await exchangeAt(answering(200, full))).tokens, {
    accessToken: "at",
    expiresAt: NOW_MS + 60_000,
    scope: "a b",
    tokenType: "bearer",
    idToken: "jwt",
  });
});

test("a token without an expiry gets the latest time that a Date can hold", async () => {
  const { expiresAt } = (await exchangeAt(answering(200, { access_token: "at" }))).tokens;
  assert.equal(new Date(expiresAt).getTime(), expiresAt);
  assert.ok(expiresAt > Date.UTC(9999, 0));
});

test("invalid_grant means connecting again, whatever the status and whatever some providers call it", async () => {
  await failsWith(exchangeAt(answering(400, { error: "invalid_grant" })), "invalid-grant", {
    providerError: "invalid_grant",
  });
  await failsWith(exchangeAt(answering(403, { error: "invalid_grant" })), "invalid-grant");
  await failsWith(exchangeAt(answering(200, { error: "bad_verification_code" })), "invalid-grant");
});

test("A provider in testing mode can block users not on its test-user list with HTTP 403 and error access_denied. A client should show an explanation to such users.", async () => {
  const answers = [
    answering(403, { error: "access_denied", error_description: "Not a test user" }),
    answering(400, { error: "access_denied" }),
    answering(403, {}),
    answering(403, { error: { code: 403, status: "PERMISSION_DENIED" } }),
    (response: ServerResponse) => void response.writeHead(403).end("<h1>Forbidden</h1>"),
  ];
  for (const answer of answers) {
    await assert.rejects(exchangeAt(answer), /, its owner must add your account to the test users\./);
    await failsWith(exchangeAt(answer), "declined", { providerError: "access_denied" });
  }
});

test("5xx and 429 are temporary, with the wait that the provider asks for", async () => {
  await failsWith(exchangeAt(answering(503, {})), "temporary", { retryAfterMs: undefined });
  await failsWith(exchangeAt(answering(500, { error: "invalid_grant" })), "temporary");
  await failsWith(exchangeAt(answering(429, {}, { "retry-after": "7" })), "temporary", { retryAfterMs: 7_000 });
  const date = new Date(NOW_MS + 90_000).toUTCString();
  await failsWith(exchangeAt(answering(503, {}, { "retry-after": date })), "temporary", { retryAfterMs: 90_000 });
  await failsWith(exchangeAt(answering(503, {}, { "retry-after": "soon" })), "temporary", { retryAfterMs: undefined });
  await failsWith(exchangeAt(answering(503, {}, { "retry-after": "9".repeat(30) })), "temporary", {
    retryAfterMs: 86_400_000,
  });
  await failsWith(exchangeAt(answering(400, { error: "temporarily_unavailable" })), "temporary");
});

test("a provider that cannot be reached, or breaks off, is temporary too", async () => {
  const endpoint = await startTokenEndpoint(() => {});
  await endpoint[Symbol.asyncDispose]();
  await failsWith(exchangeCode({ ...ASKED, tokenUrl: endpoint.url }), "temporary");
  await assert.rejects(exchangeCode({ ...ASKED, tokenUrl: endpoint.url }), /\(ECONNREFUSED\)/);
  const breakOff = (response: ServerResponse) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setImmediate(() => response.destroy());
  };
  await failsWith(exchangeAt(breakOff), "temporary");
});

test("it gives up on a provider that does not answer within 20 s", async (t) => {
  const asked = Promise.withResolvers<void>();
  await using endpoint = await startTokenEndpoint(() => asked.resolve());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const exchange = exchangeCode({ ...ASKED, tokenUrl: endpoint.url });
  let isOver = false;
  const outcome = failsWith(exchange, "temporary").then(() => {
    isOver = true;
  });
  await asked.promise;
  t.mock.timers.tick(19_999);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await outcome;
});

test("the signal stops it", async () => {
  const stop = new AbortController();
  await failsWith(
    exchangeAt(() => stop.abort(), { signal: stop.signal }),
    "aborted",
  );
  await failsWith(exchangeAt(SUCCESS, { signal: AbortSignal.abort() }), "aborted");
});

test("other refusals have the provider's code and text, without the secrets that it repeats", async () => {
  const error_description = `Client client-1 with secret ${CLIENT_SECRET}\r\nand code ${CODE} is unknown`;
  await failsWith(exchangeAt(answering(401, { error: "invalid_client", error_description })), "provider-error", {
    providerError: "invalid_client",
    providerDescription: "Client client-1 with secret … and code … is unknown",
  });
  const said = "The provider refused with invalid_client: Client client-1 with secret … and code … is unknown.";
  await assert.rejects(exchangeAt(answering(401, { error: "invalid_client", error_description })), ({ message }) =>
    message.startsWith(said),
  );
  await failsWith(exchangeAt(answering(404, "nothing here")), "provider-error", { providerError: "HTTP 404" });
  const endless = answering(400, { error: "e".repeat(5_000), error_description: "d".repeat(5_000) });
  await failsWith(exchangeAt(endless), "provider-error", {
    providerError: `${"e".repeat(100)}…`,
    providerDescription: `${"d".repeat(500)}…`,
  });
});

test("the message of every refusal has the provider's own text", async () => {
  for (const error of ["access_denied", "invalid_grant", "temporarily_unavailable", "invalid_scope"]) {
    const refusal = exchangeAt(answering(400, { error, error_description: "Ask Grace." }));
    await assert.rejects(refusal, /^OAuthError: The provider [^:]*: Ask Grace\. [A-Z]/);
  }
});

test("nor does a message have a secret in the form in which it was sent", async () => {
  const code = "4/0Ab+c d";
  const clientSecret = "s~e/c=r";
  for (const clientAuth of ["post", "basic"] as const) {
    await using endpoint = await startTokenEndpoint(({ body, headers }, response) =>
      answerJson(response, 400, { error: "invalid_request", error_description: `${body} ${headers.authorization}` }),
    );
    const asked = { ...ASKED, code, clientSecret, clientAuth, tokenUrl: endpoint.url };
    await assert.rejects(exchangeCode(asked), (error: Error) => {
      const shown = inspect(error, { depth: 9 });
      const { body, headers } = endpoint.calls[0] ?? { body: "", headers: {} };
      assert.match(shown, /grant_type=authorization_code/);
      for (const field of ["code", "code_verifier", "client_secret"]) {
        const sent = new RegExp(`(?<=(^|&)${field}=)[^&]+`).exec(body)?.[0];
        if (sent !== undefined) assert.ok(!shown.includes(sent), `${field} as ${sent}`);
      }
      if (headers.authorization !== undefined) assert.ok(!shown.includes(headers.authorization.slice("Basic ".length)));
      return true;
    });
  }
});

test("an answer that does not follow OAuth 2.0 is malformed, and the faulty field is named", async () => {
  const faulty: [unknown, string][] = [
    [{}, "access_token"],
    [{ access_token: "" }, "access_token"],
    [{ access_token: 7 }, "access_token"],
    [{ access_token: "at", refresh_token: {} }, "refresh_token"],
    [{ access_token: "at", expires_in: -1 }, "expires_in"],
    [{ access_token: "at", expires_in: "soon" }, "expires_in"],
  ];
  for (const [body, field] of faulty) await failsWith(exchangeAt(answering(200, body)), "malformed-answer", { field });
  for (const body of [[], null, "text"]) await failsWith(exchangeAt(answering(200, body)), "malformed-answer");
  await failsWith(
    exchangeAt((response) => void response.end("<html>")),
    "malformed-answer",
  );
});

test("it stops reading an answer at 1 MiB", async () => {
  let sentBytes = 0;
  const flood = (response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed && sentBytes < 64 * 1024 * 1024) {
        sentBytes += 65_536;
        if (!response.write(Buffer.alloc(65_536, " "))) return void response.once("drain", more);
      }
    };
    more();
  };
  await failsWith(exchangeAt(flood), "malformed-answer");
  assert.ok(sentBytes < 32 * 1024 * 1024, `${sentBytes} bytes`);
});

test("a redirect is not followed, because the secret would go with it", async () => {
  await using elsewhere = await startTokenEndpoint((_call, response) => SUCCESS(response));
  for (const status of [302, 307, 308]) {
    const redirect = (response: ServerResponse) => void response.writeHead(status, { location: elsewhere.url }).end();
    await failsWith(exchangeAt(redirect), "malformed-answer");
  }
  assert.deepEqual(elsewhere.calls, []);
});

test("a wrong option is named", async () => {
  const exchangeWith = (options: object) =>
    exchangeCode({ ...ASKED, tokenUrl: "https://provider.example/token", ...options } as ExchangeOptions);
  await failsWith(exchangeWith({ tokenUrl: "file:///etc/passwd" }), "invalid-option", { field: "tokenUrl" });
  await failsWith(exchangeWith({ code: "" }), "invalid-option", { field: "code" });
  await failsWith(exchangeWith({ clientId: "" }), "invalid-option", { field: "clientId" });
  await failsWith(exchangeWith({ clientAuth: "jwt" }), "invalid-option", { field: "clientAuth" });
  await failsWith(exchangeWith({ codeVerifier: undefined }), "invalid-option", { field: "codeVerifier" });
  await failsWith(exchangeWith({ clientAuth: "basic", clientSecret: undefined }), "invalid-option", {
    field: "clientSecret",
  });
});

test("secrets are not sent unencrypted, except to this machine", async () => {
  const sent: string[] = [];
  const note = async (input: unknown) => {
    sent.push(new URL(String(input)).hostname);
    return Response.json({ access_token: "at" });
  };
  const exchangeOver = (tokenUrl: string) => exchangeCode({ ...ASKED, tokenUrl, fetch: note as typeof fetch });
  for (const host of ["provider.example", "127.example.com", "localhost.example.com", "10.0.0.1", "[::2]", "0.0.0.0"]) {
    await failsWith(exchangeOver(`http://${host}/token`), "invalid-option", { field: "tokenUrl" });
  }
  assert.deepEqual(sent, []);
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) await exchangeOver(`http://${host}:1/token`);
  await exchangeOver("https://provider.example/token");
  assert.equal(sent.length, 5);
});
