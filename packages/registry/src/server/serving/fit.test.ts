import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackageVersion } from "@backplane/contract/registry";
import { askedTool, fitOf } from "./fit.ts";

const version = (more: Partial<PackageVersion> = {}): PackageVersion => ({
  ...{ version: "1.0", status: "stable", tool_version: "9.0" },
  ...more,
});

const CASES: readonly [words: string, query: Parameters<typeof askedTool>[0], versions: PackageVersion[]][] = [
  ["Works", { tool: "9.0" }, [version()]],
  ["Works", { tool: "9.0", platform: "linux" }, [version({ version: "2.0", status: "testing" }), version()]],
  ["Testing only", { tool: "9.0" }, [version({ status: "testing" })]],
  ["Development only", { tool: "9.0" }, [version({ status: "development" })]],
  ["Deprecated", { tool: "9.0" }, [version({ status: "deprecated" })]],
  ["Windows only", { tool: "9.0", platform: "linux" }, [version({ platforms: ["windows"] })]],
  ["Windows, macOS only", { tool: "9.0", platform: "linux" }, [version({ platforms: ["windows", "macos"] })]],
  ["Works", { tool: "9.0" }, [version({ platforms: ["windows"] })]],
  ["Needs 9.1", { tool: "9.0" }, [version({ tool_version: "9.1" })]],
  ["Up to 8.9", { tool: "9.0" }, [version({ tool_version: "6.0", tool_version_max: "8.9" })]],
  ["Needs IPC", { tool: "9.0", runtime: "swig" }, [version({ runtime: "ipc" })]],
  ["Works", { tool: "9.0" }, [version({ runtime: "ipc" })]],
  [
    "Needs 9.9",
    { tool: "9.0" },
    [version({ version: "3", status: "testing", tool_version: "10" }), version({ tool_version: "9.9" })],
  ],
  ["Withdrawn", { tool: "9.0" }, []],
];

for (const [words, query, versions] of CASES) {
  test(`"${words}" for ${JSON.stringify(query)} of ${JSON.stringify(versions)}`, () => {
    const asked = askedTool(query);
    assert.ok(asked);
    assert.equal(fitOf(versions, "plugin", asked).words, words);
  });
}

test("a runtime matters for plugins only; without a tool there is no fit", () => {
  const asked = askedTool({ tool: "9.0", runtime: "swig" });
  assert.equal(asked && fitOf([version({ runtime: "ipc" })], "library", asked).state, "works");
  assert.equal(askedTool({ platform: "linux" }), undefined);
});
