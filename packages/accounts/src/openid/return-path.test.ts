import assert from "node:assert/strict";
import { test } from "node:test";
import { localPath } from "./return-path.ts";

test("a path on this site is kept, with its query and fragment", () => {
  for (const path of [
    "/",
    "/account",
    "/auth/intent?token=int_abc-_",
    "/a/b?next=%2F%2Fevil.example&x=%5C#part",
    "/caf%C3%A9",
    "/a//b",
  ]) {
    assert.equal(localPath(path), path);
  }
});

test("anything that could lead to another site or into a loop becomes the home page", () => {
  for (const text of [
    undefined,
    "",
    "account",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/a\\b",
    "https://evil.example/",
    "javascript:alert(1)",
    " /account",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\u0000",
    "/a b",
    "/\u200b/evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/%2e%2e//evil.example",
    "/%2f/evil.example",
    "/%2Fevil.example",
    "/%5cevil.example",
    "/%09/evil.example",
    "/%0d%0aSet-Cookie:x=y",
    "/%7f",
    "/%252fevil.example",
    "/auth/openid/start",
    "/auth/openid/start?return_to=/",
    "/AUTH/openid",
    "/account/../auth/openid/callback?code=x",
    "/auth/sign-in?fault=openid-failed",
    `/${"a".repeat(3_000)}`,
  ]) {
    assert.equal(localPath(text), "/", String(text));
  }
});
