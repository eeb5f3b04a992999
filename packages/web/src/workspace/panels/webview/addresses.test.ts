import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { completeAddress, hostWords, isMixed, isOwnAddress } from "./addresses.ts";

const completed = (typed: string) => {
  const address = completeAddress(typed);
  return address.ok ? address.url : undefined;
};

test("an address without a scheme gets https, and http where certificates are rare", () => {
  assert.equal(completed("example.com"), "https://example.com/");
  assert.equal(completed("  parts.example.com/md340?pin=4#power "), "https://parts.example.com/md340?pin=4#power");
  assert.equal(completed("//example.com/a"), "https://example.com/a");
  assert.equal(completed("bücher.example"), "https://xn--bcher-kva.example/");
  assert.equal(completed("localhost:3000/app"), "http://localhost:3000/app");
  assert.equal(completed("api.localhost"), "http://api.localhost/");
  assert.equal(completed("192.168.1.20"), "http://192.168.1.20/");
  assert.equal(completed("[::1]:8080"), "http://[::1]:8080/");
  assert.equal(completed("oven:8080"), "http://oven:8080/");
  assert.equal(completed("oven/status"), "http://oven/status");
});

test("a scheme that was typed is kept", () => {
  assert.equal(completed("http://example.com"), "http://example.com/");
  assert.equal(completed("HTTPS://example.com"), "https://example.com/");
});

test("search terms are refused with a hint, and never sent anywhere", () => {
  for (const words of ["gate driver", "motor", "what is 3.14", "3.14", "", "   ", "a.b c.d", "?", "#top", ".com"]) {
    const address = completeAddress(words);
    assert.equal(address.ok, false, words);
    assert.match(address.ok ? "" : address.hint, /address/);
  }
});

test("other schemes are refused", () => {
  for (const other of [
    "javascript:alert(1)",
    "data:text/html,hello",
    "file:///etc/passwd",
    "about:blank",
    "blob:https://example.com/1",
    "view-source:https://example.com",
    "ftp://example.com",
    "mailto:somebody@example.com",
  ]) {
    assert.equal(completed(other), undefined, other);
  }
});

test("names and passwords in an address are refused: everybody would see them", () => {
  assert.equal(completed("https://me:secret@example.com"), undefined);
  assert.equal(completed("https://me@example.com"), undefined);
});

test("an address over the contract's limit is refused", () => {
  assert.equal(completed(`example.com/${"a".repeat(PANELS_LIMITS.maxUrlLength)}`), undefined);
});

const local = { pageUrl: "http://localhost:8790/w/owner/repo", framesUrl: "http://*.localhost:8790" };
const hosted = { pageUrl: "https://backplane.example/w/owner/repo", framesUrl: "https://*.frames.example" };

test("Backplane's own address is recognised by all of its names", () => {
  for (const own of [
    "http://localhost:8790/",
    "http://LOCALHOST:8790/account",
    "http://localhost.:8790/",
    "http://127.0.0.1:8790/",
    "http://127.1:8790/",
    "http://0x7f000001:8790/",
    "http://[::1]:8790/",
    "http://0.0.0.0:8790/",
    "https://localhost:8790/",
  ]) {
    assert.equal(isOwnAddress(own, local), true, own);
  }
  assert.equal(isOwnAddress("https://backplane.example/account", hosted), true);
  assert.equal(isOwnAddress("http://backplane.example/account", hosted), true);
  assert.equal(isOwnAddress("https://backplane.example.:443/account", hosted), true);
});

test("so are the frames of panels, whatever their name", () => {
  assert.equal(isOwnAddress("http://s-tab-0.localhost:8790/", local), true);
  assert.equal(isOwnAddress("http://w-0123.localhost:8790/", local), true);
  assert.equal(isOwnAddress("http://anything.else.localhost:8790/", local), true);
  assert.equal(isOwnAddress("https://s-tab-0.frames.example/", hosted), true);
});

test("other ports and other hosts are not Backplane", () => {
  for (const other of [
    "http://localhost:3000/",
    "http://app.localhost:3000/",
    "http://192.168.1.20:8790/",
    "https://example.com/",
  ]) {
    assert.equal(isOwnAddress(other, local), false, other);
  }
  for (const other of ["https://example/", "https://backplane.example:8443/", "https://frames.example.com/"]) {
    assert.equal(isOwnAddress(other, hosted), false, other);
  }
});

test("http in a page over https is mixed content, except on this machine", () => {
  assert.equal(isMixed("http://example.com/", hosted.pageUrl), true);
  assert.equal(isMixed("https://example.com/", hosted.pageUrl), false);
  assert.equal(isMixed("http://localhost:3000/", hosted.pageUrl), false);
  assert.equal(isMixed("http://127.0.0.1:3000/", hosted.pageUrl), false);
  assert.equal(isMixed("http://example.com/", local.pageUrl), false);
});

test("a page without a title is named after its host", () => {
  assert.equal(hostWords("https://parts.example.com:8443/md340"), "parts.example.com:8443");
});
