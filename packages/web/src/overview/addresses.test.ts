import assert from "node:assert/strict";
import { test } from "node:test";
import { addresses, withoutScheme } from "./addresses.ts";

const processes = [
  { name: "platform", url: "http://localhost:8790", port: 8790, state: "running" },
  { name: "gateway", url: "https://gateway.example/", port: 8795, state: "running" },
  { name: "viewer", url: "http://localhost:8770", port: 8770, state: "unreachable" },
] as const;

test("each address belongs to its process, running or not", () => {
  assert.deepEqual(
    addresses({ processes: [...processes] }).map(({ url }) => url),
    [
      "http://localhost:8790/registry/repository.json",
      "https://gateway.example/callback",
      "http://localhost:8770/screenshot-paste",
      "http://localhost:8790/docs",
    ],
  );
});

test("an address is shown without its scheme", () => {
  assert.equal(withoutScheme("https://gateway.example/callback"), "gateway.example/callback");
});
