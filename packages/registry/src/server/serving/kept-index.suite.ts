import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { type Instance, openRegistry, published, type Stage, type UnderTest } from "./registry-under-test.suite.ts";

/** Each ends a segment, so that there are several; the first piece of a list is always written again. */
const IDENTIFIERS = Array.from({ length: 2_000 }, (_, n) => `org.example.p${n}`)
  .filter((identifier) => crc32(identifier) % 64 === 0)
  .slice(0, 4);

const PATHS = ["tool", "kicad"].flatMap((brand) =>
  ["packages.json", "manifests.json"].map((name) => `/registry/${brand}/${name}`),
);

const kept = (under: UnderTest): string => join(under.home, "registry-index.kept");

async function readAll(under: UnderTest, at: Instance): Promise<string[]> {
  return Promise.all(PATHS.map(async (path) => (await under.get(path, {}, "GET", at)).text()));
}

async function startAndRead(under: UnderTest, options: { baseUrl?: string } = {}): Promise<string[]> {
  const instance = await under.start({ ...options, minKeptBytes: 0 });
  const files = await readAll(under, instance);
  await instance.stop();
  return files;
}

async function startOn(under: UnderTest, content: Uint8Array, options: { baseUrl?: string } = {}): Promise<string[]> {
  writeFileSync(kept(under), content);
  return startAndRead(under, options);
}

export function testKeptIndex(stage: Stage): void {
  test(`${stage.name}: a start on the pieces that the last one has kept serves what the tables say`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, ...IDENTIFIERS.map((identifier) => ({ identifier })));
    const files = await readAll(under, under.first);
    await under.first.stop();
    assert.deepEqual(await startAndRead(under), files);
    const content = readFileSync(kept(under));
    assert.deepEqual(await startAndRead(under), files);

    const damaged = content.with(content.length - 40, (content.at(-40) ?? 0) ^ 1);
    for (const wrong of [damaged, content.subarray(0, 50), new Uint8Array()]) {
      assert.deepEqual(await startOn(under, wrong), files);
    }

    const elsewhere = await startOn(under, content, { baseUrl: "https://elsewhere.example.org" });
    assert.deepEqual(
      elsewhere,
      files.map((text) => text.replaceAll("https://registry.", "https://elsewhere.")),
    );
  });

  test(`${stage.name}: pieces that are older than the tables, or newer because of a restored backup, are not served`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, ...IDENTIFIERS.map((identifier) => ({ identifier })));
    await under.first.stop();
    const before = await startAndRead(under);
    const content = readFileSync(kept(under));

    // By another instance, while this one did not run.
    const other = await under.start();
    const [, second = "", third = ""] = IDENTIFIERS;
    assert.equal((await under.setStatus(second, "1.0.0", "deprecated", other)).status, 200);
    assert.equal((await under.publish({ identifier: third, version: "1.1.0" }, "ada", other)).status, 201);
    const after = await readAll(under, other);
    assert.notDeepEqual(after, before);
    await other.stop();
    assert.deepEqual(await startOn(under, content), after);

    // As a backup may leave them: other rows, and the same revisions.
    const newer = readFileSync(kept(under));
    const database = await under.open();
    await database.durable.updateTable("registry_versions").set({ status: "testing" }).execute();
    await database.close();
    const restored = await startOn(under, newer);
    rmSync(kept(under));
    assert.deepEqual(await startAndRead(under), restored);
    assert.ok(
      restored.every((text, place) => (text === after[place]) === (PATHS[place] ?? "").endsWith("manifests.json")),
    );
  });
}
