import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackageType, PackageVersion, Platform, Runtime } from "@backplane/contract/registry";
import { whyIncompatible } from "./compatibility.ts";

const LISTED: PackageVersion = { version: "1", status: "stable", tool_version: "7" };
const TOOL = { version: "7.1.5", platform: "linux", runtimes: ["swig"] } as const;

/** Tool, minimum, maximum or "-", and whether they fit. */
const RANGES = `
7 7 - yes | 7.0 7 - yes | 7.0.0 7 - yes | 7 7.0 - yes | 7 7.0.0 - yes | 7.0.1 7 - yes | 7.1 7 - yes | 8 7 - yes | 10 9 - yes | 9 10 - no
6 7 - no | 6.99 7 - no | 6.99.99 7 - no | 7.0 7.1 - no | 7.0.9 7.1 - no | 7.1 7.1 - yes | 7.1.0 7.1 - yes | 7.1.5 7.1 - yes | 7.2 7.1 - yes
7.1 7.1.1 - no | 7.1.0 7.1.1 - no | 7.1.1 7.1.1 - yes | 7.1.2 7.1.1 - yes | 7.2 7.1.9 - yes | 7 7.0.1 - no | 7.10 7.9 - yes | 7.9 7.10 - no
99.99.99 99.99.99 - yes | 0 0 - yes | 0.0.1 0 - yes
7 6 7 yes | 7.0 6 7 yes | 7.9 6 7 yes | 7.99.99 6 7 yes | 8 6 7 no | 8.0.0 6 7 no | 6 6 7 yes | 5.99 6 7 no
7.1 6 7.1 yes | 7.1.5 6 7.1 yes | 7.1.99 6 7.1 yes | 7.2 6 7.1 no | 7.2.0 6 7.1 no | 7.0.99 6 7.1 yes | 7 6 7.1 yes
7.1.5 6 7.1.5 yes | 7.1.4 6 7.1.5 yes | 7.1.6 6 7.1.5 no | 7.1 6 7.1.5 yes | 7.2 6 7.1.5 no | 8 6 7.1.5 no
7.1.5 7.1.5 7.1.5 yes | 7.1.4 7.1.5 7.1.5 no | 7.1.6 7.1.5 7.1.5 no | 7.5 7 7 yes | 7.0.0 7 7.0 yes | 7.0.5 7 7.0 yes | 7.1 7 7.0 no
6.5 7 6 no | 7 7 6 no | 10 9 10 yes | 10.5 9 10 yes | 11 9 10 no | 7 7.0.0 7.0.0 yes | 7.0.1 7.0.0 7.0.0 no
`
  .split(/[|\n]/)
  .map((row) => row.trim())
  .filter(Boolean);

for (const row of RANGES) {
  test(`tool, minimum, maximum: ${row}`, () => {
    const [version = "", minimum = "", maximum = "-", fits] = row.split(" ");
    const listed = { ...LISTED, tool_version: minimum, ...(maximum === "-" ? {} : { tool_version_max: maximum }) };
    const why = whyIncompatible(listed, "plugin", { ...TOOL, version });
    assert.equal(why === undefined, fits === "yes", why);
  });
}

const PLATFORMS: readonly [Platform[] | undefined, Platform, boolean][] = [
  [undefined, "linux", true],
  [undefined, "windows", true],
  [undefined, "macos", true],
  [["linux"], "linux", true],
  [["linux"], "windows", false],
  [["linux"], "macos", false],
  [["windows", "macos"], "macos", true],
  [["windows", "macos"], "linux", false],
  [["windows", "macos", "linux"], "linux", true],
];
for (const [platforms, platform, fits] of PLATFORMS) {
  test(`platforms ${platforms ?? "not listed"} on ${platform}: ${fits}`, () => {
    const listed = { ...LISTED, ...(platforms ? { platforms } : {}) };
    assert.equal(whyIncompatible(listed, "plugin", { ...TOOL, platform }) === undefined, fits);
  });
}

const RUNTIMES: readonly [Runtime | undefined, readonly Runtime[], PackageType, boolean][] = [
  [undefined, ["swig"], "plugin", true],
  [undefined, ["ipc"], "plugin", false],
  [undefined, ["swig", "ipc"], "plugin", true],
  [undefined, [], "plugin", false],
  ["swig", ["swig"], "plugin", true],
  ["swig", ["ipc"], "plugin", false],
  ["ipc", ["ipc"], "plugin", true],
  ["ipc", ["swig"], "plugin", false],
  ["ipc", ["swig", "ipc"], "plugin", true],
  ["ipc", ["swig"], "library", true],
  ["ipc", [], "library", true],
  [undefined, ["ipc"], "library", true],
  ["ipc", ["swig"], "colortheme", true],
  [undefined, [], "colortheme", true],
];
for (const [runtime, runtimes, type, fits] of RUNTIMES) {
  test(`a ${type} with runtime ${runtime ?? "not named"} where the tool offers ${runtimes.join(" and ") || "none"}: ${fits}`, () => {
    const listed = { ...LISTED, ...(runtime ? { runtime } : {}) };
    assert.equal(whyIncompatible(listed, type, { ...TOOL, runtimes }) === undefined, fits);
  });
}

test("the reason names the required and the present version", () => {
  assert.equal(whyIncompatible({ ...LISTED, tool_version: "8" }, "plugin", TOOL), "needs 8 or later, this is 7.1.5");
  assert.equal(
    whyIncompatible({ ...LISTED, tool_version_max: "7.0" }, "plugin", TOOL),
    "works up to 7.0, this is 7.1.5",
  );
  assert.equal(whyIncompatible({ ...LISTED, platforms: ["windows"] }, "plugin", TOOL), "is for windows, this is linux");
});

test("a version that cannot be read fits nothing, and the reason says so", () => {
  assert.match(String(whyIncompatible({ ...LISTED, tool_version: "7.x" }, "plugin", TOOL)), /cannot be read/);
  assert.match(String(whyIncompatible({ ...LISTED, tool_version_max: "" }, "plugin", TOOL)), /cannot be read/);
  assert.match(String(whyIncompatible(LISTED, "plugin", { ...TOOL, version: "nightly" })), /not a version/);
});
