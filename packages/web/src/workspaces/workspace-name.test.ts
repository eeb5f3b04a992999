import assert from "node:assert/strict";
import { test } from "node:test";
import { REPO_PATTERN } from "@backplane/contract/panels";
import { MAX_WORKSPACE_NAME_LENGTH, WORKSPACE_NAME, workspaceNameFault } from "./workspace-name.ts";

test("the rule for names is the contract's", () => {
  assert.equal(WORKSPACE_NAME.source, new RegExp(REPO_PATTERN).source);
  assert.equal(workspaceNameFault("a".repeat(MAX_WORKSPACE_NAME_LENGTH)), undefined);
  assert.notEqual(workspaceNameFault("a".repeat(MAX_WORKSPACE_NAME_LENGTH + 1)), undefined);
});

test("a name that cannot be is told how it can", () => {
  assert.equal(workspaceNameFault("rover-mainboard"), undefined);
  for (const name of ["", "-x", ".x", "x.", "a/b", "a b", "ü"]) {
    assert.match(workspaceNameFault(name) ?? "", /such as rover-mainboard/);
  }
});
