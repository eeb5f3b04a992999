import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_REPO_LENGTH } from "@backplane/contract/panels";
import { copyName, searchWorkspaces, summaryOf, workspaceNameFault } from "./workspace-name.ts";

test("a wrong name is answered with the rule and an example", () => {
  assert.equal(workspaceNameFault("a".repeat(MAX_REPO_LENGTH)), undefined);
  assert.notEqual(workspaceNameFault("a".repeat(MAX_REPO_LENGTH + 1)), undefined);
  assert.equal(workspaceNameFault("rover-mainboard"), undefined);
  for (const name of ["", "-x", ".x", "x.", "a/b", "a b", "ü"]) {
    assert.match(workspaceNameFault(name) ?? "", /such as rover-mainboard/);
  }
});

test("a search finds every word in the owner or the name, in any order and case", () => {
  const all = [
    { owner: "lab", repo: "rover-mainboard" },
    { owner: "ada", repo: "thermal-run" },
  ];
  const found = (search: string) => searchWorkspaces(all, search).map(({ repo }) => repo);
  assert.deepEqual(found("Main rover"), ["rover-mainboard"]);
  assert.deepEqual(found("ada"), ["thermal-run"]);
  assert.deepEqual(found("rover ada"), []);
  assert.deepEqual(found(" "), ["rover-mainboard", "thermal-run"]);
});

test("the summary says how many are in use; the name of a copy is never too long", () => {
  const [used, unused] = [{ browserConnected: true }, { browserConnected: false }];
  assert.equal(summaryOf([used, unused, used]), "3 that you may open, 2 with somebody in them now");
  assert.equal(summaryOf([used, unused]), "2 that you may open, 1 with somebody in it now");
  assert.equal(summaryOf([unused]), "1 that you may open, nobody in it now");
  assert.equal(copyName("rover"), "rover-copy");
  assert.equal(workspaceNameFault(copyName("a".repeat(MAX_REPO_LENGTH))), undefined);
});
