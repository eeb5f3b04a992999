import assert from "node:assert/strict";
import { test } from "node:test";
import { createKnownSites } from "./known-sites.ts";

/** As the server does it: one host for a site. */
const pass = async (url: string) =>
  url.includes("down")
    ? ({ ok: false, words: "down" } as const)
    : ({ ok: true, src: `http://w-${new URL(url).host.split(".")[0]}.localhost/.backplane/enter?pass=x` } as const);

test("a page may name places of the site that its frame was made for, and no others", () => {
  const sites = createKnownSites(pass);
  sites.learn("http://w-a.localhost/.backplane/enter?pass=x", "https://a.example/start");
  assert.equal(sites.judge("http://w-a.localhost", "https://a.example/other"), "true");
  assert.equal(sites.judge("http://w-a.localhost", undefined), "true");
  for (const url of ["https://bank.example/", "http://a.example/", "https://a.example:444/"]) {
    assert.equal(sites.judge("http://w-a.localhost", url), "false", url);
  }
});

test("of a frame that went to another site by itself, the server is asked", async () => {
  const sites = createKnownSites(pass);
  assert.equal(sites.judge("http://w-b.localhost", "https://b.example/"), "unknown");
  await sites.find("http://w-b.localhost", "https://b.example/");
  assert.equal(sites.judge("http://w-b.localhost", "https://b.example/"), "true");
});

test("a page that names another site first is not believed again; one that nobody could judge is asked about anew", async () => {
  const sites = createKnownSites(pass);
  await sites.find("http://w-evil.localhost", "https://bank.example/");
  assert.equal(sites.judge("http://w-evil.localhost", "https://bank.example/"), "false");
  assert.equal(sites.judge("http://w-evil.localhost", undefined), "false");
  await sites.find("http://w-c.localhost", "https://down.example/");
  assert.equal(sites.judge("http://w-c.localhost", "https://c.example/"), "unknown");
});
