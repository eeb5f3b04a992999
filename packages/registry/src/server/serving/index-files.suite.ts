import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Package, PackageDetails, RegistryFacts, Repository, SearchAnswer } from "@backplane/contract/registry";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import { createChecker } from "../../metadata/check.ts";
import { verifyIndex } from "../../signing/verify.ts";
import { openRegistry, published, START_MS, type Stage, type UnderTest } from "./registry-under-test.suite.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const FILES = ["repository.json", "packages.json", "resources.zip", "manifests.json"] as const;

const V2 = "application/vnd.kicad.pcm.v2+json";

/** What KiCad reads, in its order: repository.json, and the list that it names; with the newest list beside it. */
async function readAs(under: UnderTest, brand: string, headers: Record<string, string>) {
  const answer = await under.get(`/registry/${brand}/repository.json`, headers);
  assert.equal(answer.headers.get("vary"), "accept, accept-encoding");
  const repository = (await answer.json()) as Repository & Record<string, unknown>;
  const verified = verifyIndex(repository, { brand, nowS: START_MS / 1_000 });
  assert.ok("statement" in verified, JSON.stringify(verified));
  const text = await (await under.get(repository.packages.url, headers)).text();
  assert.equal(sha256(Buffer.from(text)), repository.packages.sha256);
  const newest = await under.get(`/registry/${brand}/packages.json`, headers);
  assert.equal(await newest.text(), text);
  const { packages } = JSON.parse(text) as { packages: Package[] };
  const types = [answer, newest].map((response) => response.headers.get("content-type"));
  return { repository, verified, text, types, names: packages.map(({ identifier }) => identifier) };
}

/** Unlike `fetch`, does not decode and sends no Accept-Encoding of its own. */
function raw(url: string, headers: Record<string, string> = {}, method = "GET") {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined;
    headers: Record<string, string | undefined>;
    bytes: Buffer;
  }>();
  httpRequest(url, { method, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () =>
      resolve({
        status: response.statusCode,
        headers: response.headers as Record<string, string | undefined>,
        bytes: Buffer.concat(chunks),
      }),
    );
  })
    .on("error", reject)
    .end();
  return promise;
}

export function testIndexFiles(stage: Stage): void {
  const rule = ruleTest(stage.name);
  rule(`${stage.name}: an empty registry serves a valid repository without packages`, async (t) => {
    const under = await openRegistry(t, stage);
    const repository = await (await under.get("/registry/repository.json")).text();
    assert.ok("value" in createChecker()(repository, "Repository"), repository);
    assert.deepEqual(await (await under.get("/registry/packages.json")).json(), { packages: [] });
    assert.equal((JSON.parse(repository) as Repository).resources, undefined, "no icons, no archive of them");
  });

  rule(`${stage.name}: repository.json names the bytes that are served, and stays under 20,480 bytes`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.one" }, { identifier: "org.example.two", icon: null });
    const response = await under.get("/registry/repository.json");
    const text = await response.text();
    assert.ok(text.length < 20_480);
    const repository = JSON.parse(text) as Repository;
    for (const part of ["packages", "resources", "manifests"] as const) {
      const named = repository[part];
      assert.ok(named);
      const bytes = Buffer.from(await (await under.get(named.url)).arrayBuffer());
      assert.equal(sha256(bytes), named.sha256, part);
      const newest = await under.get(`/registry/${FILES.find((file) => file.startsWith(part))}`);
      assert.equal(sha256(Buffer.from(await newest.arrayBuffer())), named.sha256, part);
    }
    assert.ok(repository.packages.update_timestamp >= START_MS / 1_000);
  });

  rule(`${stage.name}: one build serves tool and kicad: the first at /registry, each at its own folder`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.one", brand: "kicad" });
    const read = async (path: string) =>
      ((await (await under.get(path)).json()) as { packages: Package[] }).packages[0]?.versions[0] as object;
    assert.deepEqual(await read("/registry/tool/packages.json"), await read("/registry/packages.json"));
    const [tool, kicad] = [await read("/registry/packages.json"), await read("/registry/kicad/packages.json")];
    assert.ok("tool_version" in tool && !("kicad_version" in tool));
    assert.ok("kicad_version" in kicad && !("tool_version" in kicad));
    for (const brand of ["tool", "kicad"]) {
      const repository = (await (await under.get(`/registry/${brand}/repository.json`)).json()) as Repository;
      const bytes = Buffer.from(await (await under.get(repository.packages.url)).arrayBuffer());
      assert.equal(sha256(bytes), repository.packages.sha256);
      const checked = createChecker(brand)(bytes.toString(), "PackageArray");
      assert.ok("value" in checked, "valid by the brand's schema");
    }
    const unknown = await under.get("/registry/altium/packages.json");
    assert.deepEqual([unknown.status, ((await unknown.json()) as { code: string }).code], [404, "not-found"]);
  });

  rule(
    `${stage.name}: who asks for version 2 of the schema gets every package, others what version 1 has`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(
        under,
        { identifier: "org.example.one" },
        { identifier: "org.example.later", metadata: { license: "GPL-3.0-or-later" } },
        { identifier: "org.example.fab", metadata: { type: "fab", category: "assembly" } },
        { identifier: "org.example.odd", metadata: { category: "My own" } },
      );
      for (const brand of ["tool", "kicad"]) {
        const first = await readAs(under, brand, {});
        const second = await readAs(under, brand, { accept: V2 });
        assert.deepEqual(first.names, ["org.example.odd", "org.example.one"]);
        assert.deepEqual(second.names, ["org.example.fab", "org.example.later", ...first.names]);
        assert.deepEqual([first.repository.schema_version, second.repository.schema_version], [undefined, 2]);
        assert.deepEqual(
          [new Set(first.types), new Set(second.types)],
          [new Set(["application/json; charset=utf-8"]), new Set([V2])],
        );
        for (const [{ text, repository }, version] of [
          [first, 1],
          [second, 2],
        ] as const) {
          const check = createChecker(brand, { version });
          assert.ok("value" in check(text, "PackageArray"), `a valid list of version ${version}`);
          assert.ok("value" in check(JSON.stringify(repository), "Repository"));
        }
        assert.deepEqual(first.repository.signed_index, second.repository.signed_index, "one statement for both");
      }
      const json = async (path: string) => (await (await under.get(path)).json()) as unknown;
      const details = (await json("/registry/packages/org.example.later/details")) as PackageDetails;
      assert.match(details.needs_v2 ?? "", /GPL-3\.0-or-later/);
      assert.equal(((await json("/registry/packages/org.example.one/details")) as PackageDetails).needs_v2, undefined);
      assert.equal(
        ((await json("/registry/packages/org.example.fab")) as Package).type,
        "fab",
        "there is nothing else",
      );
      const { packages } = (await json("/registry/search?type=fab")) as SearchAnswer;
      assert.deepEqual(
        packages.map(({ identifier }) => identifier),
        ["org.example.fab"],
      );
      assert.deepEqual(((await json("/registry")) as RegistryFacts).types, ["fab", "plugin"]);
      const schema = (await json("/schemas/package.v2.json?brand=kicad")) as { title: string };
      assert.equal(schema.title, "Package metadata, version 2");
    },
  );

  rule(`${stage.name}: while version 1 can express every package, both versions name the same list`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.one" }, { identifier: "org.example.two" });
    for (const brand of ["tool", "kicad"]) {
      const first = await readAs(under, brand, {});
      const second = await readAs(under, brand, { accept: V2 });
      const $schema = second.repository.$schema;
      assert.deepEqual(second.repository, { ...first.repository, $schema, schema_version: 2 });
      assert.equal(first.verified.statement.packages_v2, undefined);
    }
  });

  test(`${stage.name}: packages.update_timestamp changes whenever the bytes of packages.json do`, async (t) => {
    const under = await openRegistry(t, stage);
    const seen = new Map<number, string | undefined>();
    const look = async () => {
      const { packages } = (await (await under.get("/registry/repository.json")).json()) as Repository;
      seen.set(packages.update_timestamp, packages.sha256);
      return packages;
    };
    await look();
    // The clock stands still: seconds are not enough.
    await published(under, { identifier: "org.example.one" });
    const before = await look();
    await published(under, { identifier: "org.example.one", version: "1.1" });
    await look();
    assert.equal((await under.setStatus("org.example.one", "1.1", "deprecated")).status, 200);
    const after = await look();
    assert.equal(seen.size, 4);
    assert.equal(new Set(seen.values()).size, 4, "a change of status changes packages.json");
    const [pkg] = ((await (await under.get(after.url)).json()) as { packages: Package[] }).packages;
    assert.deepEqual(pkg?.versions.map(({ version, status }) => [version, status]).sort(), [
      ["1.0.0", "stable"],
      ["1.1", "deprecated"],
    ]);
    const old = await under.get(before.url);
    assert.equal(sha256(Buffer.from(await old.arrayBuffer())), before.sha256, "who read the old one finds its files");
  });

  rule(`${stage.name}: strong ETags, 304 by any form's tag, gzip and br, HEAD, Vary`, async (t) => {
    const under = await openRegistry(t, stage);
    const tags = Array.from({ length: 40 }, (_, n) => `tag-number-${n}`);
    await published(under, { identifier: "org.example.one", metadata: { tags } });
    const { packages } = (await (await under.get("/registry/repository.json")).json()) as Repository;
    const addresses = ["/registry/packages.json", "/registry/kicad/repository.json", new URL(packages.url).pathname];
    for (const path of [...addresses, "/registry/packages.json?again", "/registry/packages/org.example.one"]) {
      const url = `${under.last.url}${path}`;
      const plain = await raw(url);
      assert.deepEqual([plain.status, plain.headers["content-encoding"]], [200, undefined], path);
      assert.equal(plain.headers.etag, `"${sha256(plain.bytes)}"`);
      assert.equal(plain.headers["content-length"], String(plain.bytes.length));
      const squeezed = await raw(url, { "accept-encoding": "gzip,deflate" });
      const compressed = path.includes("repository.json") ? squeezed.bytes : gunzipSync(squeezed.bytes);
      assertSameBytes(compressed, plain.bytes, path);
      const vary = path.includes("/indexes/") ? "accept-encoding" : "accept, accept-encoding";
      for (const answer of [plain, squeezed]) {
        assert.equal(answer.headers.vary, vary);
        assert.equal(answer.headers["access-control-allow-origin"], "*");
        assert.equal(answer.headers["x-content-type-options"], "nosniff");
        const { etag = "" } = answer.headers;
        for (const [value, accept] of [
          [etag, "gzip"],
          [etag, "identity"],
          [`"other", W/${etag}`, "br"],
          ["*", ""],
        ] as const) {
          const again = await raw(url, { "if-none-match": value, "accept-encoding": accept });
          assert.deepEqual([again.status, again.bytes.length], [304, 0], `${path} ${value}`);
          assert.match(again.headers.etag ?? "", /^"[a-f0-9]{64}(-gzip|-br)?"$/);
          assert.equal(again.headers.vary, vary);
        }
      }
      assert.equal((await raw(url, { "if-none-match": '"other", "x' })).status, 200);
      const head = await raw(url, {}, "HEAD");
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      assert.deepEqual(
        [head.headers.etag, head.headers["content-length"]],
        [plain.headers.etag, plain.headers["content-length"]],
      );
    }
    const zip = await raw(`${under.last.url}/registry/resources.zip`, { "accept-encoding": "gzip, br" });
    assert.deepEqual([zip.headers["content-type"], zip.headers["content-encoding"]], ["application/zip", undefined]);
    const url = `${under.last.url}/registry/packages.json`;
    await untilAsserted(async () => {
      const answer = await raw(url, { "accept-encoding": "gzip, br" });
      assert.equal(answer.headers["content-encoding"], "br");
      assertSameBytes(brotliDecompressSync(answer.bytes), (await raw(url)).bytes);
      const refused = await raw(url, { "accept-encoding": "br;q=0, gzip;q=0" });
      assert.equal(refused.headers["content-encoding"], undefined);
    });
    const post = await fetch(url, { method: "DELETE" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  });

  test(`${stage.name}: an index stays for an hour after it was replaced, also on another instance, then it is removed`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.one" });
    const { packages, resources } = (await (await under.get("/registry/repository.json")).json()) as Repository;
    // Weeks later: how long it existed does not count.
    under.clock.nowMs += 14 * 24 * 3_600_000;
    await published(under, { identifier: "org.example.two", icon: null });
    for (const { area } of [under.first, under.last]) await area.sweep();
    const fresh = await under.start();
    for (const at of [under.first, under.last, fresh]) {
      for (const named of [packages, resources]) {
        for (const accept of ["gzip, br", "identity"]) {
          const response = await under.get(named?.url ?? "", { "accept-encoding": accept }, "GET", at);
          assert.equal(response.status, 200);
          assert.equal(response.headers.get("access-control-allow-origin"), "*");
          assert.equal(sha256(Buffer.from(await response.arrayBuffer())), named?.sha256);
        }
      }
      const known = await under.get(packages.url, { "if-none-match": `"${packages.sha256}"` }, "GET", at);
      assert.equal(known.status, 304);
      assert.equal((await under.get(packages.url, {}, "HEAD", at)).status, 200);
    }
    await fresh.area.sweep();
    under.clock.nowMs += 3_599_000;
    await fresh.area.sweep();
    assert.equal((await under.get(packages.url, {}, "GET", fresh)).status, 200);
    under.clock.nowMs += 2_000;
    await fresh.area.sweep();
    const ended = await under.get(packages.url, {}, "GET", fresh);
    assert.deepEqual([ended.status, ((await ended.json()) as { code: string }).code], [410, "index-ended"]);
    assert.equal((await under.get(resources?.url ?? "", {}, "GET", fresh)).status, 200, "still named");
    assert.equal((await under.get(`/registry/indexes/${"z".repeat(64)}/packages.json`)).status, 400);
  });

  rule(`${stage.name}: requests are counted by route pattern`, async (t) => {
    const under = await openRegistry(t, stage);
    await (await under.get("/registry/packages.json")).text();
    await (await under.get("/registry/tool/repository.json")).text();
    const text = await under.last.metrics.render();
    assert.match(text, /_count\{method="GET",route="\/registry\/packages.json",status="200".*\} 1/);
    assert.match(text, /_count\{method="GET",route="\/registry\/:brand\/repository.json",status="200".*\} 1/);
    assert.match(text, /backplane_registry_packages\{.*\} 0/);
  });
}
