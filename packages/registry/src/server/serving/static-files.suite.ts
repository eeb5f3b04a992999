import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Repository } from "@backplane/contract/registry";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { sha256Of } from "../../values.ts";
import { openRegistry, published, type Stage } from "./registry-under-test.suite.ts";

export function testStaticFiles(stage: Stage): void {
  test(`${stage.name}: two platforms keep what repository.json names in the folder; private packages are never in it`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "static-files-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const under = await openRegistry(t, stage);
    const instances = [await under.start({ indexesFolder: folder }), await under.start({ indexesFolder: folder })];
    const named = async () => {
      const paths = new Set<string>();
      for (const brand of ["tool", "kicad"]) {
        const { packages, manifests, resources } = (await (
          await under.get(`/registry/${brand}/repository.json`)
        ).json()) as Repository & { manifests: { url: string } };
        for (const { url } of [packages, manifests, ...(resources ? [resources] : [])])
          paths.add(url.replace(/.*\/indexes\//, ""));
      }
      return [...paths].sort();
    };
    const uncompressed = () =>
      globSync("*/*", { cwd: folder })
        .filter((path) => !path.endsWith(".gz"))
        .sort();
    await published(under, { identifier: "org.example.seen" });
    // By the timer, once the index has lasted for a moment.
    await untilAsserted(async () => assert.deepEqual(uncompressed(), await named()));

    const posted = await fetch(`${under.first.url}/registry/packages?private=true`, {
      ...{ method: "POST", headers: { authorization: "Bearer ada", "content-type": "application/zip" } },
      body: new Uint8Array(sampleArchive({ identifier: "org.example.secret" })),
    });
    assert.equal(posted.status, 201);
    for (let n = 0; n < 3; n += 1) {
      await published(under, { identifier: `org.example.p${n}` });
      await Promise.all(instances.map(({ area }) => area.sweep()));
      for (const path of uncompressed()) assert.equal(sha256Of(readFileSync(join(folder, path))), path.slice(0, 64));
      assert.deepEqual(uncompressed(), await named());
    }
    const texts = uncompressed().map((path) => readFileSync(join(folder, path), "utf8"));
    assert.ok(texts.some((text) => text.includes("org.example.p2")) && !texts.join("").includes("org.example.secret"));
  });
}
