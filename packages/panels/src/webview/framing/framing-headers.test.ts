import assert from "node:assert/strict";
import { test } from "node:test";
import { type FramingHeaders, framingRefusal } from "./framing-headers.ts";

const PAGE = "https://panels.example.org";
const SITE = "https://site.example.com/a";
const xfo = (...values: string[]): FramingHeaders => ({ "x-frame-options": values });
const csp = (...values: string[]): FramingHeaders => ({ "content-security-policy": values });
const refusalOf = (headers: FramingHeaders, page = PAGE, site = SITE) =>
  framingRefusal(headers, new URL(site), new URL(page));

test("a site that says nothing about frames may be framed", () => {
  assert.equal(refusalOf({}), undefined);
  assert.equal(refusalOf(csp("default-src 'none'; script-src 'self'")), undefined);
  assert.equal(refusalOf({ "content-security-policy-report-only": "frame-ancestors 'none'" }), undefined);
});

test("X-Frame-Options: DENY and SAMEORIGIN refuse, in any case, and unknown values are ignored", () => {
  for (const value of ["DENY", "deny", " Deny ", "SAMEORIGIN", "sameorigin", "DENY, DENY", "DENY,"]) {
    assert.equal(refusalOf(xfo(value)), "x-frame-options", value);
  }
  for (const value of ["", "ALLOWALL", "ALLOW-FROM https://panels.example.org", "nonsense", "one, two", "DENY;"]) {
    assert.equal(refusalOf(xfo(value)), undefined, value);
  }
});

test("X-Frame-Options: several values that do not agree refuse", () => {
  assert.equal(refusalOf(xfo("SAMEORIGIN", "ALLOWALL")), "x-frame-options");
  assert.equal(refusalOf(xfo("ALLOWALL, nonsense")), "x-frame-options");
  assert.equal(refusalOf(xfo("ALLOWALL", "allowall")), undefined);
});

test("SAMEORIGIN and 'self' are for pages of the same origin", () => {
  for (const headers of [xfo("SAMEORIGIN"), csp("frame-ancestors 'self'"), csp("frame-ancestors 'SELF'")]) {
    assert.equal(refusalOf(headers, "https://site.example.com"), undefined);
    assert.notEqual(refusalOf(headers, "https://site.example.com:8443"), undefined);
  }
  const self = csp("frame-ancestors 'self'");
  assert.equal(refusalOf(self, "https://site.example.com", "http://site.example.com/"), undefined);
  assert.equal(refusalOf(self, "http://site.example.com"), "frame-ancestors");
});

test("frame-ancestors wins over X-Frame-Options, both ways", () => {
  assert.equal(refusalOf({ ...xfo("DENY"), ...csp("frame-ancestors *") }), undefined);
  assert.equal(refusalOf({ ...xfo("ALLOWALL"), ...csp("frame-ancestors 'none'") }), "frame-ancestors");
  assert.equal(refusalOf({ ...xfo("DENY"), ...csp("default-src *") }), "x-frame-options");
});

test("every policy applies; of two lists in one policy the first counts", () => {
  assert.equal(refusalOf(csp("frame-ancestors *", "frame-ancestors 'none'")), "frame-ancestors");
  assert.equal(refusalOf(csp("frame-ancestors *, frame-ancestors 'none'")), "frame-ancestors");
  assert.equal(refusalOf(csp("frame-ancestors *; frame-ancestors 'none'")), undefined);
  assert.equal(refusalOf(csp("default-src 'none'", "frame-ancestors https:")), undefined);
});

test("hosts, wildcards, schemes and ports of frame-ancestors", () => {
  const allows: [list: string, page?: string, site?: string][] = [
    ["*"],
    ["https:"],
    ["HTTPS:"],
    ["http:"],
    ["panels.example.org"],
    ["PANELS.Example.org"],
    ["https://panels.example.org"],
    ["http://panels.example.org"],
    ["http://panels.example.org:80"],
    ["https://panels.example.org:443"],
    ["panels.example.org:*"],
    ["*.example.org"],
    ["https://panels.example.org/"],
    ["https://*.example.org"],
    ["*://panels.example.org https://*"],
    ["'none' https://panels.example.org"],
    ["\thttps://other.example \t https://panels.example.org"],
    ["http://localhost:*", "http://localhost:8790"],
    ["localhost:8790", "http://localhost:8790", "http://127.0.0.1:1/"],
    ["127.0.0.1:8790", "http://127.0.0.1:8790", "http://127.0.0.1:1/"],
    ["*:8790", "http://127.0.0.1:8790", "http://127.0.0.1:1/"],
    ["http:", "http://localhost:8790"],
    ["*", "http://localhost:8790"],
  ];
  for (const [list, page, site] of allows)
    assert.equal(refusalOf(csp(`frame-ancestors ${list}`), page, site), undefined, list);

  const refuses: [list: string, page?: string, site?: string][] = [
    [""],
    ["'none'"],
    ["'self'"],
    ["'unsafe-inline'"],
    ["example.org"],
    ["*.panels.example.org"],
    ["*.org.example"],
    ["evilpanels.example.org"],
    ["panels.example.org.evil.example"],
    ["panels.example.org:8443"],
    ["http://panels.example.org:8080", "https://panels.example.org:8080"],
    ["ftp://panels.example.org"],
    ["wss:"],
    ["data:"],
    ["https://"],
    ["https://panels.example.org/path"],
    ["https://*.*.org"],
    ["[::1]"],
    ["https:", "http://localhost:8790"],
    ["localhost:8790", "http://localhost:8790", "https://site.example.com/"],
    ["localhost", "http://localhost:8790", "http://127.0.0.1:1/"],
  ];
  for (const [list, page, site] of refuses)
    assert.equal(refusalOf(csp(`frame-ancestors ${list}`), page, site), "frame-ancestors", list);
});
