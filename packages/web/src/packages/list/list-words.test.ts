import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyWords, repositoryAddresses, stateOf, typeSegments } from "./list-words.ts";

test("an empty search names what was searched, then what to do", () => {
  assert.deepEqual(emptyWords({ q: "autoroutr", type: undefined }), {
    title: "No package matches “autoroutr”",
    line: "Check the spelling, or search all types and versions.",
  });
  assert.equal(emptyWords({ q: "x", type: "library" })?.title, "No library matches “x”");
  assert.equal(emptyWords({ q: "", type: "colortheme" })?.title, "No colour themes yet");
});

test("types that are listed beyond the usual ones can be chosen too, in words where there are some", () => {
  const usual = typeSegments(["library", "plugin"]);
  assert.deepEqual(
    usual.map(([type]) => type),
    [undefined, "plugin", "library", "colortheme"],
  );
  assert.deepEqual(typeSegments(["datasource", "plugin", "x-ray"]).slice(usual.length), [
    ["datasource", "Data source"],
    ["x-ray", "X-ray"],
  ]);
  assert.equal(emptyWords({ q: "", type: "x-ray" })?.title, "No packages of type x-ray yet");
});

test("without a search, nothing found is an empty registry", () => {
  assert.equal(emptyWords({ q: "", type: undefined }), undefined);
});

test("a row says whether it works with the tool, or how stable it is without one", () => {
  assert.deepEqual(stateOf({ fit: { state: "works", words: "Works" }, status: "stable" }), {
    tone: "ok",
    word: "Works",
  });
  assert.deepEqual(stateOf({ fit: { state: "unstable-only", words: "Testing only" } }), {
    tone: "warn",
    word: "Testing only",
  });
  assert.deepEqual(stateOf({ fit: { state: "none", words: "Windows only" } }), { tone: "off", word: "Windows only" });
  assert.deepEqual(stateOf({ status: "deprecated" }), { tone: "off", word: "Deprecated" });
  assert.deepEqual(stateOf({}), { tone: "off", word: "Withdrawn" });
});

test("each brand has its own address, the first has the shortest", () => {
  const repository_url = "https://a.example.org/registry/repository.json";
  assert.deepEqual(repositoryAddresses({ brands: ["tool", "kicad", "bench"], repository_url }), [
    { label: "Add to your design tool", address: repository_url },
    { label: "Add to KiCad", address: "https://a.example.org/registry/kicad/repository.json" },
    { label: "Add to bench", address: "https://a.example.org/registry/bench/repository.json" },
  ]);
});
