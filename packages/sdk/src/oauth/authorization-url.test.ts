import assert from "node:assert/strict";
import { test } from "node:test";
import { OAuthError } from "../errors.ts";
import { type AuthorizationRequest, authorizationUrl } from "./authorization-url.ts";

const REQUEST: AuthorizationRequest = {
  authUrl: "https://provider.example/authorize?tenant=7&state=old",
  clientId: "client-1",
  scopes: "files.read profile",
  redirectUri: "https://gateway.example/callback",
  state: "6f1c9a04-8a55-4f0e-9b0e-52f3a1a7d001",
  codeChallenge: "challenge",
  extraParams: { prompt: "consent", access_type: "offline" },
};

test("its redirect_uri is {gateway_url}/callback and its state is a new UUID; it has PKCE and the extra parameters", () => {
  const url = new URL(authorizationUrl(REQUEST));
  assert.equal(`${url.origin}${url.pathname}`, "https://provider.example/authorize");
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    tenant: "7",
    response_type: "code",
    client_id: "client-1",
    redirect_uri: "https://gateway.example/callback",
    scope: "files.read profile",
    state: REQUEST.state,
    code_challenge: "challenge",
    code_challenge_method: "S256",
    prompt: "consent",
    access_type: "offline",
  });
  // RFC 6749 section 3.1: no parameter more than once.
  assert.equal(new Set(url.searchParams.keys()).size, [...url.searchParams.keys()].length);
});

test("without scopes there is no scope parameter", () => {
  assert.equal(new URL(authorizationUrl({ ...REQUEST, scopes: "" })).searchParams.has("scope"), false);
});

for (const name of [
  "state",
  "redirect_uri",
  "code_challenge",
  "code_challenge_method",
  "response_type",
  "client_id",
  "scope",
]) {
  test(`extraParams cannot override ${name}`, () => {
    assert.throws(
      () => authorizationUrl({ ...REQUEST, extraParams: { [name]: "x" } }),
      (error: unknown) =>
        error instanceof OAuthError && error.code === "invalid-option" && error.field === `extraParams.${name}`,
    );
  });
}

test("a value that is not a string is named", () => {
  const extraParams = { max_age: 3600 } as unknown as Record<string, string>;
  assert.throws(
    () => authorizationUrl({ ...REQUEST, extraParams }),
    /^OAuthError: extraParams\.max_age is not a string\.$/,
  );
});
