import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "@backplane/kit/secrets";
import { hostSessionTokenIn, sessionTokenIn } from "./cookies.ts";
import { SECRET_LENGTH } from "./secret-shape.ts";

const token = newSecret("tok_");

test("a secret has the length that is looked for", () => {
  assert.equal(token.length, SECRET_LENGTH);
});

test("the token is found wherever it stands among the cookies", () => {
  for (const cookies of [
    `session_token=${token}`,
    `a=1; session_token=${token}`,
    `session_token=${token}; a=1`,
    `a=1;session_token=${token};b=2`,
    `session_token=of another program; session_token=${token}`,
    `session_token=; x_session_token=no; session_token=${token}`,
  ]) {
    assert.equal(sessionTokenIn(cookies), token, cookies);
  }
});

test("what is not ours is not taken", () => {
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
    assert.equal(sessionTokenIn(cookies), undefined, String(cookies));
  }
});

test("over https a browser is known by the cookie that no subdomain can set; a program may use the plain name", () => {
  const other = newSecret("tok_");
  const browser = { "sec-fetch-site": "same-origin" };
  assert.equal(
    hostSessionTokenIn({ ...browser, cookie: `session_token=${other}; __Host-session_token=${token}` }),
    token,
  );
  assert.equal(hostSessionTokenIn({ ...browser, cookie: `session_token=${other}` }), undefined);
  assert.equal(hostSessionTokenIn({ cookie: `session_token=${token}` }), token);
  assert.equal(hostSessionTokenIn({ cookie: `x__Host-session_token=${token}` }), undefined);
  assert.equal(hostSessionTokenIn({ ...browser }), undefined);
});
