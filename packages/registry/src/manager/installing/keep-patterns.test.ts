import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KEEP_LIMITS, matchKeepPatterns } from "./keep-patterns.ts";

const PATHS = ["plugins/com_x/settings.json", "plugins/com_x/main.py", "colors/com_x/settings.json"];

describe("keep_on_update: regular expressions naming files kept on package update", () => {
  it("may match anywhere in /<dir>/<identifier with underscores>/<file>", () => {
    const kept = (pattern: string) => [...matchKeepPatterns([pattern], PATHS).kept];
    assert.deepEqual(kept("settings"), [PATHS[0], PATHS[2]]);
    assert.deepEqual(kept("^/plugins/com_x/settings\\.json$"), [PATHS[0]]);
    assert.deepEqual(kept("^plugins"), []);
    assert.deepEqual(kept("com.x/m"), [PATHS[1]]);
  });

  it("are combined", () => {
    assert.equal(matchKeepPatterns(["main", "colors"], PATHS).kept.size, 2);
  });

  it("that are invalid are reported, and leave files undecided that no other pattern matches", () => {
    const { kept, undecided, warnings } = matchKeepPatterns(["(", "main"], PATHS);
    assert.deepEqual([...kept], [PATHS[1]]);
    assert.deepEqual([...undecided], [PATHS[0], PATHS[2]]);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /"\("/);
    assert.equal(matchKeepPatterns(["("], []).warnings.length, 1);
  });

  it("are cut off when they take too long, and the rest still counts", () => {
    const endless = `${"a".repeat(60)}!`;
    const startedMs = performance.now();
    const { kept, undecided, warnings } = matchKeepPatterns(["(a+)+$", "main"], ["plugins/x/b", endless, ...PATHS]);
    assert.ok(performance.now() - startedMs < KEEP_LIMITS.patternMs + 4_000);
    assert.deepEqual([...kept], [PATHS[1]]);
    assert.deepEqual([...undecided], [endless, PATHS[0], PATHS[2]]);
    assert.match(warnings[0] ?? "", /takes too long/);
  });

  it("have a budget together", () => {
    const limits = { ...KEEP_LIMITS, patternMs: 60, budgetMs: 150 };
    const many = Array.from({ length: 50 }, (_, index) => `(a+)+${index}$`);
    const startedMs = performance.now();
    const { undecided, warnings } = matchKeepPatterns(many, [`${"a".repeat(60)}!`], limits);
    assert.ok(performance.now() - startedMs < 50 * limits.patternMs);
    assert.equal(undecided.size, 1);
    assert.equal(warnings.length, many.length);
    assert.ok(warnings.some((text) => text.includes("other patterns took too long")));
  });

  it("are limited in number and length, with a warning", () => {
    const limits = { ...KEEP_LIMITS, maxPatterns: 1, maxPatternCharacters: 8 };
    assert.equal(matchKeepPatterns(["main", "colors"], PATHS, limits).warnings.length, 1);
    assert.equal(matchKeepPatterns(["settings."], PATHS, limits).warnings.length, 1);
  });

  it("are never run as code", () => {
    const { kept, warnings } = matchKeepPatterns(["`; paths.length = 0; `", '"; paths.length = 0; "', "x"], PATHS);
    assert.equal(kept.size, 3);
    assert.equal(warnings.length, 0);
  });
});
