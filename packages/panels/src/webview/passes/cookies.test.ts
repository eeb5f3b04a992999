import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieAttributes, cookiesForSite, passesIn, rewriteSetCookie } from "./cookies.ts";

const FOR_FRAMES = "SameSite=None; Secure; Partitioned";

test("a site's cookie is set for its frame's host: no domain, allowed in frames, otherwise unchanged", () => {
  const rewrite = (line: string) => rewriteSetCookie(line, FOR_FRAMES);
  assert.deepEqual(rewrite("a=1"), [`a=1; ${FOR_FRAMES}`]);
  assert.deepEqual(
    rewrite(
      "a=1=2; Domain=.example.org; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure",
    ),
    [`a=1=2; path=/x; Max-Age=5; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly; ${FOR_FRAMES}`],
  );
});

test("no site can set a cookie with our name, in any spelling that browsers would send as ours", () => {
  for (const line of [
    "backplane_pass=x",
    "backplane_open.a=x",
    " backplane_pass =x; Path=/",
    "=backplane_pass=x",
    "Backplane_Pass=x",
    "backplane_pass",
    "",
  ]) {
    assert.deepEqual(rewriteSetCookie(line, FOR_FRAMES), [], line);
  }
  assert.equal(rewriteSetCookie("backplane_pass2=x", FOR_FRAMES).length, 1);
});

test("all values of our cookie are read, and none is sent to the site", () => {
  const header = "a=1; backplane_pass=one; b=2;backplane_pass=two";
  assert.deepEqual(passesIn(header), ["one", "two"]);
  assert.equal(cookiesForSite(header, false), "a=1; b=2");
  assert.equal(cookiesForSite("backplane_pass=one; backplane_open.a=", false), undefined);
  assert.deepEqual(passesIn(undefined), []);
});

test("requests of other sites carry only cookies that are SameSite=None for their site", () => {
  const set = [
    "open=1; Max-Age=5; SameSite=None; Secure",
    "lax=1; SameSite=Lax",
    "strict=1; SameSite=Strict",
    "plain=1",
  ];
  const lines = set.flatMap((line) => rewriteSetCookie(line, FOR_FRAMES));
  assert.deepEqual(lines[1], `backplane_open.open=; Path=/; HttpOnly; Max-Age=5; ${FOR_FRAMES}`);
  const header = lines.map((line) => line.split(";", 1)[0]).join("; ");
  assert.equal(cookiesForSite(header, true), "open=1");
  assert.equal(cookiesForSite(header, false), "open=1; lax=1; strict=1; plain=1");
});

test("over plain http, except on this machine, browsers keep no cookies for frames of other sites, so a same-site cookie is set", () => {
  assert.equal(cookieAttributes("https://*.frames.example.org"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.localhost:8790"), FOR_FRAMES);
  assert.equal(cookieAttributes("http://*.frames.lan"), "SameSite=Lax");
});
