import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieAttributes, cookiesForSite, passesIn, rewriteSetCookie } from "./cookies.ts";

const FOR_FRAMES = "SameSite=None; Secure; Partitioned";

test("a site's cookie is kept for its frame's host: no domain, sent in frames of other sites, the rest as it was", () => {
  const rewrite = (line: string) => rewriteSetCookie(line, FOR_FRAMES);
  assert.equal(rewrite("a=1"), `a=1; ${FOR_FRAMES}`);
  assert.equal(
    rewrite(
      "a=1=2; Domain=.example.org; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure",
    ),
    `a=1=2; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; ${FOR_FRAMES}`,
  );
});

test("no site sets a cookie of our name, in any spelling that browsers would send as ours", () => {
  for (const line of [
    "backplane_pass=x",
    " backplane_pass =x; Path=/",
    "=backplane_pass=x",
    "Backplane_Pass=x",
    "backplane_pass",
    "",
  ]) {
    assert.equal(rewriteSetCookie(line, FOR_FRAMES), undefined, line);
  }
  assert.ok(rewriteSetCookie("backplane_pass2=x", FOR_FRAMES));
});

test("our cookie is read in every place it has, and none of them is sent to the site", () => {
  const header = "a=1; backplane_pass=one; b=2;backplane_pass=two";
  assert.deepEqual(passesIn(header), ["one", "two"]);
  assert.equal(cookiesForSite(header), "a=1; b=2");
  assert.equal(cookiesForSite("backplane_pass=one"), undefined);
  assert.deepEqual(passesIn(undefined), []);
});

test("over plain http, but for this machine, browsers keep no cookie for frames of other sites: one for the same site is set", () => {
  assert.equal(cookieAttributes("https://*.frames.example.org"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.localhost:8790"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.frames.lan"), "SameSite=Lax");
});
