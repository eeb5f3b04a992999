import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressRefused, createAddressCheck, createGuard, type GuardOptions } from "@backplane/kit/guard";
import { readSiteUrl } from "../../site-url.ts";
import { REFUSED_ADDRESSES, REFUSED_NAMES, REFUSED_TEXTS } from "./refused-addresses.suite.ts";

const OWN = { baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790" };
const isRefused = (error: unknown) => error instanceof AddressRefused;
const guardWith = (options: Partial<GuardOptions> = {}) => createGuard({ allow: [], ...OWN, ...options });
const family = (address: string) => ({ address, family: address.includes(":") ? 6 : 4 });

/** As the proxy does: first the address itself, then what its name resolves to. */
async function reach(guard: ReturnType<typeof guardWith>, address: string) {
  const url = new URL(address);
  guard.expectUrl(url);
  return guard.resolve(url.hostname, url.port === "" ? 80 : Number(url.port));
}

test("at least 60 addresses and tricks are refused", async (t) => {
  assert.ok(REFUSED_ADDRESSES.length + REFUSED_TEXTS.length + REFUSED_NAMES.length >= 60);
  const guard = guardWith({ resolveName: () => assert.fail("asked a name server") });
  for (const [address, trick] of REFUSED_ADDRESSES) {
    await t.test(`${address}: ${trick}`, () => assert.rejects(reach(guard, address), isRefused));
  }
});

test("a text that is not the address of a page is refused with an explanation", () => {
  for (const [text, trick] of REFUSED_TEXTS) assert.equal(readSiteUrl(text).ok, false, `${text}: ${trick}`);
});

test("names that resolve to a refused address are refused, even if their other addresses are public", async (t) => {
  for (const [name, addresses, trick] of REFUSED_NAMES) {
    const guard = guardWith({ resolveName: async () => addresses.map(family) });
    await t.test(`${name}: ${trick}`, () => assert.rejects(reach(guard, `http://${name}/`), isRefused));
  }
});

test("public addresses and their names are reached; a name is resolved once, and later answers do not count", async () => {
  let asked = 0;
  const guard = guardWith({
    resolveName: async () => {
      asked += 1;
      return [family(asked === 1 ? "8.8.8.8" : "127.0.0.1")];
    },
  });
  assert.deepEqual(await reach(guard, "http://rebinding.example/"), [family("8.8.8.8")]);
  assert.equal(asked, 1);
  for (const address of ["http://8.8.8.8/", "https://[2606:4700::1111]/", "http://1.1.1.1:8080/"]) {
    assert.equal((await reach(guard, address)).length, 1);
  }
});

test("a connection to another address than the resolved one is refused", () => {
  assert.throws(() => guardWith().expectConnected("127.0.0.1", 80), isRefused);
  assert.throws(() => guardWith().expectConnected(undefined, 80), isRefused);
  guardWith().expectConnected("8.8.8.8", 80);
});

test("PROXY_ALLOW opens exactly the ranges it names, however they are written", () => {
  const isAllowed = createAddressCheck(["192.168.1.0/24", "10.0.0.7", "fd00:1::/32"]);
  for (const address of ["192.168.1.5", "::ffff:192.168.1.5", "10.0.0.7", "fd00:1::5"]) assert.ok(isAllowed(address));
  for (const address of ["192.168.2.5", "10.0.0.8", "fd00:2::5", "127.0.0.1", "::1", "nonsense", ""]) {
    assert.ok(!isAllowed(address), address);
  }
});

test("the platform itself is refused whatever is allowed: by name, by address and port, on every port it listens on", async () => {
  const guard = guardWith({ allow: ["127.0.0.0/8", "::1"] });
  const own = [
    "http://localhost:8790/",
    "http://127.0.0.1:8790/",
    "http://[::1]:8790/",
    "http://w-abc.localhost:8790/",
  ];
  for (const address of own) await assert.rejects(reach(guard, address), isRefused, address);
  assert.equal((await reach(guard, "http://localhost:3000/")).length, 2);
  assert.equal((await reach(guard, "http://127.0.0.1:8080/")).length, 1);
  guard.learnOwnPort(8080);
  await assert.rejects(reach(guard, "http://127.0.0.1:8080/"), isRefused);
});

test("under names of its own the platform is refused at every port, with its frames", async () => {
  const guard = guardWith({
    baseUrl: "https://panels.example.org",
    framesUrl: "https://*.frames.example.org",
    resolveName: async () => [family("8.8.8.8")],
  });
  for (const host of [
    "panels.example.org",
    "panels.example.org.",
    "PANELS.example.org:8443",
    "w-x.frames.example.org",
  ]) {
    await assert.rejects(reach(guard, `https://${host}/`), isRefused, host);
  }
  assert.equal((await reach(guard, "https://example.org/")).length, 1);
});
