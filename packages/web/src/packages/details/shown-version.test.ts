import assert from "node:assert/strict";
import { test } from "node:test";
import type { DetailedVersion } from "@backplane/contract/registry";
import { noneWorks, shownVersion } from "./shown-version.ts";

const version = (part: Partial<DetailedVersion>): DetailedVersion => ({
  version: "1.0",
  version_epoch: 0,
  status: "stable",
  tool_version: "9.0",
  download_url: "http://localhost/x.zip",
  download_sha256: "0".repeat(64),
  download_size: 1,
  install_size: 1,
  file_count: 1,
  screenshots: [],
  published_at: "2026-11-15T00:00:00Z",
  published_by: "owner",
  downloads: 0,
  ...part,
});

test("the page shows the version to install, else the latest stable, else the latest", () => {
  const testing = version({ version: "2.1", status: "testing" });
  const stable = version({ version: "2.0" });
  const chosen = version({ version: "1.9", chosen: true });
  assert.equal(shownVersion([testing, stable, chosen]), chosen);
  assert.equal(shownVersion([testing, stable]), stable);
  assert.equal(shownVersion([testing]), testing);
  assert.equal(shownVersion([]), undefined);
});

test("without a tool it never says that nothing works", () => {
  assert.equal(noneWorks([version({})]), false);
  assert.equal(noneWorks([version({ works: false }), version({ works: true })]), false);
  assert.equal(noneWorks([version({ works: false })]), true);
  assert.equal(noneWorks([]), false);
});
