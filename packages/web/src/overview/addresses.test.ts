import assert from "node:assert/strict";
import { test } from "node:test";
import { addresses, withoutScheme } from "./addresses.ts";

const processes = [
  { name: "platform", url: "http://localhost:8790", port: 8790, state: "running" },
  { name: "gateway", url: "https://gateway.example/", port: 8795, state: "running" },
  { name: "viewer", url: "http://localhost:8770", port: 8770, state: "unreachable" },
] as const;

const urls = (areas: Parameters<typeof addresses>[0]["areas"]) =>
  addresses({ processes: [...processes], areas }).map(({ url }) => url);

test("an address whose area is not built is not given; the API reference always is", () => {
  assert.deepEqual(urls([{ name: "registry", built: false }]), [
    undefined,
    undefined,
    undefined,
    "http://localhost:8790/docs",
  ]);
});

test("a built area gives the address on its own process", () => {
  const built = (["registry", "gateway", "viewer"] as const).map((name) => ({ name, built: true }));
  assert.deepEqual(urls(built), [
    "http://localhost:8790/registry/repository.json",
    "https://gateway.example/callback",
    "http://localhost:8770/screenshot-paste",
    "http://localhost:8790/docs",
  ]);
});

test("an address is shown without its scheme", () => {
  assert.equal(withoutScheme("https://gateway.example/callback"), "gateway.example/callback");
});
