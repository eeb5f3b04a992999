import assert from "node:assert/strict";
import { test } from "node:test";
import { PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import { createLabelReader } from "../frames.ts";
import { createFramePasses } from "./passes.ts";

const PASS = {
  ...{ workspaceId: "w", identifier: "com.example.gauge", sha256: "a".repeat(64), isDraft: false },
  ...{ entry: "index.js", style: null, runsCode: false },
};
const PLACE = { tabId: "tab-1", generation: 0, window: "k3x9a" };

function open(secret = "secret") {
  const clock = { nowMs: 1_000 };
  return { clock, passes: createFramePasses({ secret: Buffer.from(secret), now: () => clock.nowMs }) };
}

test("another package, version, tab, window or generation has another host name", () => {
  const { passes } = open();
  const labels = [
    passes.make(PASS, PLACE),
    passes.make({ ...PASS, workspaceId: "x" }, PLACE),
    passes.make({ ...PASS, identifier: "com.example.other" }, PLACE),
    passes.make({ ...PASS, sha256: "b".repeat(64) }, PLACE),
    passes.make(PASS, { ...PLACE, tabId: "tab-2" }),
    passes.make(PASS, { ...PLACE, window: "k3x9b" }),
    passes.make(PASS, { ...PLACE, generation: 1 }),
  ].map(({ label }) => label);
  assert.equal(new Set(labels).size, labels.length);
  const labelOf = createLabelReader("http://*.localhost:8790");
  for (const label of labels) {
    const found = labelOf({ headers: { host: `${label}.localhost:8790` } } as never);
    assert.deepEqual(found, { kind: "package", label });
  }
});

test("an address works at its own host name, for a day, on every instance; a changed one nowhere", () => {
  const { passes, clock } = open();
  const other = open().passes;
  const { label, path } = passes.make(PASS, PLACE);
  assert.equal(other.read(path, label)?.sha256, PASS.sha256);
  assert.equal(open("another").passes.read(path, label), undefined);
  assert.equal(passes.read(path, passes.make(PASS, { ...PLACE, tabId: "tab-2" }).label), undefined);
  const [body = "", signature] = path.split(".");
  const forged = Buffer.from(
    Buffer.from(body, "base64url").toString().replace("com.example.gauge", "com.example.other"),
  ).toString("base64url");
  for (const text of ["", ".", `${forged}.${signature}`, `${body}.`, "x".repeat(10_000)]) {
    assert.equal(passes.read(text, label), undefined);
  }
  clock.nowMs += PANEL_PACKAGE_LIMITS.passLifeMs;
  assert.equal(passes.read(path, label), undefined);
});
