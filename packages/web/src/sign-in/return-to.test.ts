import assert from "node:assert/strict";
import { test } from "node:test";
import { safeReturnTo, signInAddress } from "./return-to.ts";

const ORIGIN = "http://localhost:8790";

test("a path on this server is accepted, with query and fragment", () => {
  assert.equal(safeReturnTo("/account?tab=keys#new", ORIGIN), "/account?tab=keys#new");
  assert.equal(safeReturnTo("/auth/intent", ORIGIN), "/auth/intent");
});

for (const value of [
  null,
  "",
  "account",
  "https://other.example/",
  "//other.example/",
  "/\\other.example/",
  "/\t/other.example/",
  "/..//other.example/",
  "/.//other.example",
  "\\\\other.example",
  "javascript:alert(1)",
  " /account",
  "http://localhost:8790/account",
  "/auth/sign-in?return_to=/account",
]) {
  test(`${JSON.stringify(value)} leads to the overview`, () => {
    assert.equal(safeReturnTo(value, ORIGIN), "/");
  });
}

test("the sign-in page gets the address to return to", () => {
  assert.equal(signInAddress("/"), "/auth/sign-in");
  assert.equal(signInAddress("/account"), "/auth/sign-in?return_to=%2Faccount");
});
