import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { sampleArchive } from "../archives/samples.suite.ts";
import { buildRepository } from "../repository/build.ts";
import { newSigningKey } from "../signing/keys.ts";
import { NOW_MS, openSite } from "./manager.suite.ts";

for (const brand of ["tool", "kicad"]) {
  test(`from a folder of archives to an installed package, brand ${brand}: built, signed, added, installed, mirrored`, async () => {
    await using site = await openSite();
    const from = join(site.folder, "in");
    const out = join(site.folder, "out");
    await mkdir(from);
    for (const version of ["1.0", "1.1"]) {
      await writeFile(join(from, `sample-${version}.zip`), sampleArchive({ version, brand }));
    }
    const baseUrl = pathToFileURL(out).href;
    const built = await buildRepository({
      ...{ from: [from], out, name: "Built", brand, baseUrl },
      signingKey: newSigningKey(),
      now: () => NOW_MS,
    });
    assert.ok(!("faults" in built), JSON.stringify(built));
    const manager = await site.open({ brand });
    const added = await manager.repositories.add(`${baseUrl}/repository.json`);
    assert.deepEqual([added.name, added.packages, added.warnings], ["Built", 1, []]);
    const [installed] = await manager.install("org.example.sample");
    assert.deepEqual([installed?.state, installed?.version, installed?.notes], ["done", "1.1", []]);
    const copy = join(site.folder, "copy");
    const mirrored = await manager.mirror(`${baseUrl}/repository.json`, copy, { baseUrl: pathToFileURL(copy).href });
    assert.deepEqual([mirrored.versions, mirrored.leftOut], [2, []]);
    const again = await manager.repositories.add(pathToFileURL(join(copy, "repository.json")).href);
    assert.deepEqual([again.name, again.packages], ["Built 2", 1]);
  });
}
