import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_REPO_LENGTH } from "@backplane/contract/panels";
import { workspaceNameFault } from "./workspace-name.ts";

test("a wrong name is answered with the rule and an example", () => {
  assert.equal(workspaceNameFault("a".repeat(MAX_REPO_LENGTH)), undefined);
  assert.notEqual(workspaceNameFault("a".repeat(MAX_REPO_LENGTH + 1)), undefined);
  assert.equal(workspaceNameFault("rover-mainboard"), undefined);
  for (const name of ["", "-x", ".x", "x.", "a/b", "a b", "ü"]) {
    assert.match(workspaceNameFault(name) ?? "", /such as rover-mainboard/);
  }
});
