import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { behindInVersion, clusterFaults, MAX_CLOCK_SKEW_MS, sentenceOf } from "./cluster-faults.ts";
import { folderId } from "./folder-id.ts";

const good = { name: "a:8790", bus: "redis", archives: "s3", clockOffsetMs: 0 };

test("one instance may use anything, and several that share everything are fine", () => {
  assert.deepEqual(clusterFaults([]), []);
  assert.deepEqual(clusterFaults([{ ...good, bus: "in-process", archives: "folder" }]), []);
  assert.deepEqual(clusterFaults([good, { ...good, clockOffsetMs: MAX_CLOCK_SKEW_MS }]), []);
});

test("each fault of several instances is a sentence with the setting to change", () => {
  const other = { name: "b:8790", bus: "in-process", archives: "folder", clockOffsetMs: -MAX_CLOCK_SKEW_MS - 1 };
  const faults = clusterFaults([good, other]);
  assert.deepEqual(
    faults.map(({ about }) => about),
    ["bus", "archives", "clocks"],
  );
  const [bus, archives, clocks] = faults.map(sentenceOf);
  assert.match(bus ?? "", /^2 platforms use this database, 1 of them without Redis: .* Set REDIS_URL/);
  assert.match(archives ?? "", /^2 platforms use this database, but keep archives in 2 places: .* Set ARCHIVES_URL/);
  assert.match(clocks ?? "", /^The clocks of 2 platforms differ by 2\.0 s; at most 2 s is safe: .* NTP/);
});

test("platforms that are behind in version are named with the version to update to", () => {
  assert.equal(behindInVersion([good, good]), undefined, "nobody tells");
  assert.equal(behindInVersion([{ ...good, version: "0.2.0" }]), undefined);
  const mixed = ["0.10.0", "0.9.1", undefined].map((version, at) => ({ ...good, name: `${at}:8790`, version }));
  const told = behindInVersion(mixed);
  assert.equal(told?.says, "1:8790 runs 0.9.1, 2:8790 runs an older version, while others run 0.10.0");
  assert.equal(told?.fix, "Update 1:8790, 2:8790 to 0.10.0.");
});

test("a folder has one id, whoever asks first, and another folder has another", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "folder-id-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const id = folderId(join(folder, "one"));
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(folderId(join(folder, "one")), id);
  assert.notEqual(folderId(join(folder, "two")), id);
  assert.deepEqual(readdirSync(join(folder, "one")), [".id"]);
});
