import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackageVersion, Status } from "@backplane/contract/registry";
import { explainPreferred, explainUpdate, preferredVersion, updateVersion } from "./choose-version.ts";

const TOOL = { version: "7.1", platform: "linux", runtimes: ["swig"] } as const;
const LETTERS: Readonly<Record<string, Status>> = {
  s: "stable",
  t: "testing",
  d: "development",
  x: "deprecated",
};

/** "1:2.3s8": epoch, version, status by its letter, minimum of the tool (7 where it is left out). */
function read(text: string): PackageVersion {
  const [, epoch, version = "", status = "s", tool] = /^(?:(\d+):)?([\d.]+)([stdx])(\d*)$/.exec(text) ?? [];
  return {
    version,
    ...(epoch === undefined ? {} : { version_epoch: Number(epoch) }),
    status: LETTERS[status] ?? "stable",
    tool_version: tool || "7",
  };
}
const readAll = (text: string) => text.split(" ").filter(Boolean).map(read);
const written = (listed: PackageVersion | undefined) =>
  listed === undefined
    ? "-"
    : `${listed.version_epoch === undefined ? "" : `${listed.version_epoch}:`}${listed.version}`;

/** Listed versions → the preferred one. */
const PREFERRED = `
→ - | 1s → 1 | 1s 2s → 2 | 2s 1s → 2 | 1.9s 1.10s → 1.10 | 1s 2t → 1 | 1s 2d → 1 | 1s 2x → 1 | 1t 2t → 2 | 1t 2d → 2 | 1d 2t → 2 | 2d 1t → 2
1x → 1 | 1x 2x → 2 | 1t 2x → 2 | 1s 2s8 → 1 | 1s8 2s8 → - | 1t 2s8 → 1 | 1s8 2t → 2 | 1s 1:0s → 1:0 | 2s 1:1s → 1:1 | 2s 1:1t → 2 | 9s 1:1s8 → 9
1.0s 1.0.1s → 1.0.1 | 1.2.3s 1.2.10s → 1.2.10 | 1s 3t 2s → 2 | 3x 2t 1s → 1 | 1s8 2s 3s8 → 2
`;
/** Installed; listed versions → the version to update to. */
const UPDATES = `
1s ; → - | 1s ; 1s → - | 1s ; 2s → 2 | 2s ; 1s → - | 1s ; 2s 3s → 3 | 1s ; 2t → - | 1s ; 2d → - | 1s ; 2x → - | 1s ; 2s 3t → 2 | 1s ; 2s8 → - | 1s ; 2s 3s8 → 2
1t ; 2t → 2 | 1t ; 2s → 2 | 1t ; 2d → - | 1t ; 2x → - | 1t ; 2s 3t → 3 | 1t ; 2t 3d → 2 | 1d ; 2d → 2 | 1d ; 2t → 2 | 1d ; 2s → 2 | 1d ; 2x → - | 1d ; 2s 3d → 3
1x ; 2x → 2 | 1x ; 2s → 2 | 1x ; 2d → 2 | 1x ; 2s 3x → 3 | 1s ; 1:0s → 1:0 | 9s ; 1:1s → 1:1 | 1:1s ; 9s → - | 1:1s ; 1:2s → 1:2 | 1s ; 1.0s → - | 1.0s ; 1s → - | 1s ; 1.0.1s → 1.0.1
1.9s ; 1.10s → 1.10 | 1.10s ; 1.9s → - | 3s ; 1s 2s 3s → - | 2s ; 1s 2s 3s → 3 | 1s ; 3t 2s 4x → 2
`;
const rowsOf = (table: string) =>
  table
    .split(/[|\n]/)
    .map((row) => row.trim())
    .filter(Boolean);

for (const row of rowsOf(PREFERRED)) {
  test(`preferred: ${row}`, () => {
    const [listed = "", wanted] = row.split("→").map((part) => part.trim());
    assert.equal(written(preferredVersion(readAll(listed), "plugin", TOOL)), wanted);
  });
}

for (const row of rowsOf(UPDATES)) {
  test(`update: ${row}`, () => {
    const [given = "", wanted] = row.split("→").map((part) => part.trim());
    const [installed = "", listed = ""] = given.split(";").map((part) => part.trim());
    assert.equal(written(updateVersion(readAll(listed), "plugin", TOOL, read(installed))), wanted);
  });
}

test("explain says for each version why it was or was not chosen, later ones first", () => {
  const explained = explainPreferred(readAll("1s 2s 3t 4s8"), "plugin", TOOL);
  assert.deepEqual(
    explained.map(({ listed, chosen, because }) => [listed.version, chosen, because]),
    [
      ["4", false, "needs 8 or later, this is 7.1"],
      ["3", false, "is testing, and a stable version works"],
      ["2", true, "is the latest that works here, and stable"],
      ["1", false, "is not later than 2"],
    ],
  );
});

test("explain of an update compares with what is installed", () => {
  const explained = explainUpdate(readAll("1s 2s 3s 4t"), "plugin", TOOL, read("2s"));
  assert.deepEqual(
    explained.map(({ listed, because }) => [listed.version, because]),
    [
      ["4", "is testing, and stable is installed"],
      ["3", "is the latest that works here, and stable"],
      ["2", "is not later than 2, which is installed"],
      ["1", "is not later than 2, which is installed"],
    ],
  );
});

test("the given list is not changed", () => {
  const listed = readAll("1s 3s 2s");
  const before = structuredClone(listed);
  preferredVersion(listed, "plugin", TOOL);
  assert.deepEqual(listed, before);
});
