import assert from "node:assert/strict";
import { test } from "node:test";
import { repositoryAddresses } from "./repository-addresses.ts";

test("each brand has its address, the first one the shortest", () => {
  const repository_url = "https://a.example.org/registry/repository.json";
  assert.deepEqual(repositoryAddresses({ brands: ["tool", "kicad", "bench"], repository_url }), [
    { label: "Add to your design tool", address: repository_url },
    { label: "Add to KiCad", address: "https://a.example.org/registry/kicad/repository.json" },
    { label: "Add to bench", address: "https://a.example.org/registry/bench/repository.json" },
  ]);
});
