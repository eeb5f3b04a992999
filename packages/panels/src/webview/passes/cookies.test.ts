import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieAttributes, cookiesForSite, passesIn, rewriteSetCookie } from "./cookies.ts";

const FOR_FRAMES = "SameSite=None; Secure; Partitioned";

test("a site's cookie is set for its frame's host: no domain, allowed in frames, otherwise unchanged", () => {
  const rewrite = (line: string) => rewriteSetCookie(line, FOR_FRAMES);
  assert.equal(rewrite("a=1"), `a=1; ${FOR_FRAMES}`);
  assert.equal(
    rewrite(
      "a=1=2; Domain=.example.org; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure",
    ),
    `a=1=2; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; ${FOR_FRAMES}`,
  );
});

test("no site can set a cookie with our name, in any spelling that browsers would send as ours", () => {
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

test("all values of our cookie are read, and none is sent to the site", () => {
  const header = "a=1; backplane_pass=one; b=2;backplane_pass=two";
  assert.deepEqual(passesIn(header), ["one", "two"]);
  assert.equal(cookiesForSite(header), "a=1; b=2");
  assert.equal(cookiesForSite("backplane_pass=one"), undefined);
  assert.deepEqual(passesIn(undefined), []);
});

test("over plain http, except on this machine, browsers keep no cookies for frames of other sites, so a same-site cookie is set", () => {
  assert.equal(cookieAttributes("https://*.frames.example.org"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.localhost:8790"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.frames.lan"), "SameSite=Lax");
});
