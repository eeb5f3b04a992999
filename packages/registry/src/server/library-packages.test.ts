import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import { openRegistry, published } from "./serving/registry-under-test.suite.ts";
import { SQLITE } from "./serving/stages.suite.ts";

const PARTS = "org.example.parts";
const library = (symbol: string) => `(kicad_symbol_lib (version 20241209) (generator "x") (symbol "${symbol}"))`;
const sample = (version: string, symbol: string) => ({
  ...{ identifier: PARTS, version, metadata: { type: "library" } },
  files: { "symbols/Basics.kicad_sym": library(symbol), "symbols/More.kicad_sym": library("M") },
});

test("a symbol library of a package is read from the version that its page shows", async (t) => {
  const under = await openRegistry(t, SQLITE);
  await published(under, sample("1.0.0", "OLD"), { ...sample("1.1.0", "NEW") }, sample("2.0.0", "LATER"));
  await under.setStatus(PARTS, "2.0.0", "testing");
  const { libraries } = under.last.area;
  assert.equal(await libraries.symbols("id-eve", PARTS.toUpperCase(), "Basics"), library("NEW"));
  const isUnknown = (words: RegExp) => (error: unknown) =>
    error instanceof Problem && error.code === "package-unknown" && words.test(error.detail ?? "");
  await assert.rejects(libraries.symbols("id-eve", PARTS, "basics"), isUnknown(/has no library basics.*Basics, More/));
  await assert.rejects(libraries.symbols("id-eve", "org.example.none", "Basics"), isUnknown(/no package org.example/));
});
