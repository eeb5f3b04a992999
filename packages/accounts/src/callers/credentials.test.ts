import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "@backplane/kit/secrets";
import { isSessionToken, sessionTokenOf } from "./credentials.ts";

const token = newSecret("tok_");

const overHttp = (cookie: string | undefined) =>
  sessionTokenOf({ headers: cookie === undefined ? {} : { cookie } }, false);
const overHttps = (headers: Record<string, string>) => sessionTokenOf({ headers }, true);

test("a new session token has the expected form", () => {
  assert.ok(isSessionToken(token));
});

test("the token is found at any position among the cookies", () => {
  for (const cookies of [
    `session_token=${token}`,
    `a=1; session_token=${token}`,
    `session_token=${token}; a=1`,
    `a=1;session_token=${token};b=2`,
    `session_token=of another program; session_token=${token}`,
    `session_token=; x_session_token=no; session_token=${token}`,
  ]) {
    assert.equal(overHttp(cookies), token, cookies);
  }
});

test("other cookies are not mistaken for the session token", () => {
  for (const cookies of [
    undefined,
    "",
    "session_token=",
    `session_token=${token}x`,
    `session_token="${token}"`,
    `my_session_token=${token}`,
    `session_token2=${token}`,
    `session_token=${newSecret("bpk_")}`,
    `a=b&session_token=${token}`,
  ]) {
    assert.equal(overHttp(cookies), undefined, String(cookies));
  }
});

test("over https a browser must use the cookie that no subdomain can set; a program may use the plain name", () => {
  const other = newSecret("tok_");
  const browser = { "sec-fetch-site": "same-origin" };
  assert.equal(overHttps({ ...browser, cookie: `session_token=${other}; __Host-session_token=${token}` }), token);
  assert.equal(overHttps({ ...browser, cookie: `session_token=${other}` }), undefined);
  assert.equal(overHttps({ cookie: `session_token=${token}` }), token);
  assert.equal(overHttps({ cookie: `x__Host-session_token=${token}` }), undefined);
  assert.equal(overHttps({ ...browser }), undefined);
});
