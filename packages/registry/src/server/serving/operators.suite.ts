import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Package, REGISTRY_LIMITS, type RegistryFacts, type Repository } from "@backplane/contract/registry";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import type { TrustedIndex } from "../../signing/signed-index.ts";
import { verifyIndex } from "../../signing/verify.ts";
import { countStart } from "../keys/index-state.ts";
import { BASE_URL, openRegistry, published, type Stage, type UnderTest } from "./registry-under-test.suite.ts";

const IDENTIFIER = "org.example.one";

async function readRepository(under: UnderTest, at = under.last, trusted?: TrustedIndex) {
  const repository = (await (await under.get("/registry/repository.json", {}, "GET", at)).json()) as Repository;
  const verified = verifyIndex(repository as never, { trusted, nowS: Math.floor(under.clock.nowMs / 1_000) });
  assert.ok("trust" in verified, JSON.stringify(verified));
  return { repository, trust: verified.trust };
}

/** What happens to a registry over the years. */
export function testOperators(stage: Stage): void {
  const rule = ruleTest(stage.name);
  test(`${stage.name}: each file of repository.json has a new timestamp when its bytes are new, and only then`, async (t) => {
    const under = await openRegistry(t, stage);
    const look = async () => {
      const { packages, resources, manifests } = (await readRepository(under)).repository;
      return [packages, resources, manifests].map((file) => file?.update_timestamp);
    };
    under.clock.nowMs += 60_000;
    await published(under, { identifier: IDENTIFIER });
    const [packages, resources, manifests] = await look();
    under.clock.nowMs += 60_000;
    await under.setStatus(IDENTIFIER, "1.0.0", "testing");
    assert.deepEqual(await look(), [Number(packages) + 60, resources, manifests]);
    under.clock.nowMs += 60_000;
    await published(under, { identifier: IDENTIFIER, version: "2.0" });
    assert.deepEqual(await look(), [Number(packages) + 120, resources, Number(manifests) + 120], "the same icon");
    under.clock.nowMs += 60_000;
    const restarted = await under.start();
    const again = (await readRepository(under, restarted)).repository;
    assert.equal(again.resources?.update_timestamp, resources);
    const moved = (await readRepository(under, await under.start({ baseUrl: "https://moved.example.org" }))).repository;
    assert.deepEqual(
      [moved.packages, moved.resources, moved.manifests].map((file) => file?.update_timestamp),
      [Number(packages) + 180, resources, Number(manifests) + 180],
      "addresses are in the lists, not among the icons",
    );
  });

  test(`${stage.name}: tables from a backup are served, and clients that saw newer ones continue to work`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: IDENTIFIER });
    const { database } = under.first;
    const state = await database.durable.selectFrom("registry_state").selectAll().executeTakeFirstOrThrow();
    for (let n = 0; n < 5; n += 1) await published(under, { identifier: `org.example.later${n}` });
    const { trust } = await readRepository(under);

    under.clock.nowMs += 3_600_000;
    await database.durable.deleteFrom("registry_packages").where("identifier", "!=", IDENTIFIER).execute();
    await database.durable.updateTable("registry_state").set(state).execute();
    // A replaced file would be opened again; here the same program continues.
    const { repository } = await readRepository(under, under.last, trust);
    const list = (await (await under.get(repository.packages.url)).json()) as { packages: Package[] };
    assert.deepEqual(
      list.packages.map(({ identifier }) => identifier),
      [IDENTIFIER],
    );
    assert.equal((await under.get("/registry/packages/org.example.later0")).status, 404);
    const found = (await (await under.get("/registry/search?q=example")).json()) as { total: number };
    assert.equal(found.total, 1);

    // The same, where another instance starts before this one looks.
    await published(under, { identifier: "org.example.later6" });
    const later = await readRepository(under);
    under.clock.nowMs += 3_600_000;
    await database.durable.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("registry_packages").where("identifier", "!=", IDENTIFIER).execute();
      await transaction.updateTable("registry_state").set(state).execute();
      await countStart({ durable: transaction } as never, { baseUrl: BASE_URL, nowMs: under.clock.nowMs });
    });
    for (const at of [under.first, under.last]) {
      const now = await readRepository(under, at, later.trust);
      assert.equal(now.repository.packages.sha256, repository.packages.sha256);
    }
    await readRepository(under, await under.start(), later.trust);
  });

  test(`${stage.name}: an index that was named again stays for an hour from then on`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: IDENTIFIER });
    const { packages } = (await readRepository(under)).repository;
    await under.setStatus(IDENTIFIER, "1.0.0", "deprecated");
    await under.first.area.sweep();
    under.clock.nowMs += 3_590_000;
    for (const status of ["stable", "testing"]) await under.setStatus(IDENTIFIER, "1.0.0", status);
    under.clock.nowMs += 20_000;
    await under.first.area.sweep();
    const fresh = await under.start();
    assert.equal((await under.get(packages.url, {}, "GET", fresh)).status, 200, "20 s after it was replaced");
  });

  rule(`${stage.name}: repository.json names the maintainer of the settings`, async (t) => {
    const under = await openRegistry(t, stage);
    assert.equal((await readRepository(under)).repository.maintainer, undefined);
    const maintainer = { name: "Fieldworks", contact: { email: "parts@example.org" } };
    const named = await under.start({ maintainer });
    assert.deepEqual((await readRepository(under, named)).repository.maintainer, maintainer);
  });

  rule(`${stage.name}: a category that KiCad does not know is not in its list`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: IDENTIFIER, metadata: { category: "tools" } });
    await published(under, { identifier: "org.example.two", metadata: { category: "fab" } });
    const categories = async (brand: string) => {
      const response = await under.get(`/registry/${brand}/packages.json`, {}, "GET", under.first);
      const list = (await response.json()) as { packages: Package[] };
      return list.packages.map(({ category }) => category);
    };
    assert.deepEqual(await categories("tool"), ["tools", "fab"]);
    assert.deepEqual(await categories("kicad"), [undefined, "fab"]);
  });

  rule(`${stage.name}: an archive that the store has lost is 503, and nothing else`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: IDENTIFIER });
    rmSync(join(under.home, "archives", "archives"), { recursive: true });
    const response = await under.get(`/registry/archives/${IDENTIFIER}/1.0.0.zip`);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("content-type"), "application/problem+json; charset=utf-8");
    assert.equal(response.headers.get("content-disposition"), null);
    assert.equal(response.headers.get("etag"), null);
    assert.equal(((await response.json()) as { code: string }).code, "archives-unavailable");
    assert.equal((await under.get("/registry/packages.json")).status, 200);
  });

  rule(
    `${stage.name}: stored files are also served compressed: after a restart, and when a status is changed back`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(under, { identifier: IDENTIFIER, metadata: { description_full: "long ".repeat(900) } });
      const encodingAt = async (at: { url: string }) => {
        const response = await under.get("/registry/packages.json", { "accept-encoding": "gzip" }, "GET", at);
        await response.arrayBuffer();
        return response.headers.get("content-encoding");
      };
      for (const status of ["testing", "stable"]) await under.setStatus(IDENTIFIER, "1.0.0", status);
      assert.equal(await encodingAt(under.first), "gzip");
      assert.equal(await encodingAt(await under.start()), "gzip");
    },
  );

  rule(`${stage.name}: a list that is too large for KiCad is reported once, and its size is a metric`, async (t) => {
    const under = await openRegistry(t, stage);
    const { database } = under.first;
    await published(under, { identifier: IDENTIFIER });
    const { metadata } = await database.durable.selectFrom("registry_packages").selectAll().executeTakeFirstOrThrow();
    const note = "x".repeat(REGISTRY_LIMITS.maxPackagesBytes);
    await database.durable
      .updateTable("registry_packages")
      .set({ metadata: JSON.stringify({ ...(JSON.parse(metadata) as object), note }) })
      .execute();
    for (const status of ["testing", "stable"]) await under.setStatus(IDENTIFIER, "1.0.0", status);
    for (const at of [under.first, under.last]) await under.get("/registry/repository.json", {}, "GET", at);
    const facts = (await (await under.get("/registry", {}, "GET", under.first)).json()) as RegistryFacts;
    assert.ok(facts.packages_bytes > facts.max_packages_bytes);
    const told = under.faults.splice(0).map((fault) => (fault as Error).message);
    assert.match(told[0] ?? "", /^KiCad refuses this repository: .* 10485760 bytes/);
    assert.ok(told.length <= stage.instances, "once by each instance");
  });
}
