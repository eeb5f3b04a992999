import assert from "node:assert/strict";
import { test } from "node:test";
import { openidFault, signInFault } from "./sign-in-faults.ts";

const fault = (status: number, code: string, retryAfterS?: number) => ({
  status,
  code,
  title: "A title",
  detail: undefined,
  errors: [],
  retryAfterS,
});

test("a wrong name and a wrong password get the same text", () => {
  assert.equal(signInFault(fault(401, "sign-in-failed")), "Name and password do not match. Check both and try again.");
});

test("after too many tries the text says how long to wait", () => {
  assert.equal(signInFault(fault(429, "too-many-requests", 900)), "Too many tries. Wait 15 minutes, then try again.");
});

test("faults from the provider have texts; unknown ones are ignored", () => {
  assert.match(
    openidFault("openid-unknown", "Fieldworks") ?? "",
    /^No account here is connected to you at Fieldworks\./,
  );
  assert.match(openidFault("openid-failed", undefined) ?? "", /^The provider did not answer/);
  assert.equal(openidFault("<b>anything</b>", "Fieldworks"), undefined);
  assert.equal(openidFault("constructor", "Fieldworks"), undefined);
  assert.equal(openidFault(null, "Fieldworks"), undefined);
});
