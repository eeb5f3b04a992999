import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { writeZip } from "../archives/write-zip.ts";
import { sha256Of } from "../values.ts";
import { openBundle } from "./commands/install-bundle.ts";
import type { Lock } from "./index.ts";
import { openSite } from "./manager.suite.ts";
import { checkRepository } from "./repositories/fetch-list.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

const ONE = "org.example.one";
const TWO = "org.example.two";

async function installed() {
  const disposal = new AsyncDisposableStack();
  const server = disposal.use(await openFileServer());
  const site = disposal.use(await openSite());
  const other = disposal.use(await openSite());
  const manager = await site.open();
  await manager.repositories.add(
    putRepository(server, [
      { identifier: ONE, version: "1.0" },
      { identifier: ONE, version: "1.1" },
      { identifier: TWO, version: "2.0", epoch: 1 },
    ]),
  );
  const file = join(site.folder, "packages.lock.json");
  return { server, site, other, manager, file, [Symbol.asyncDispose]: () => disposal.disposeAsync() };
}

test("a lock file installs exactly the same bytes on another machine, without the repository's list", async () => {
  await using at = await installed();
  await at.manager.install([`${ONE}@1.0`, TWO]);
  const lock = await at.manager.lock(at.file);
  assert.deepEqual(
    lock.packages.map(({ identifier, version, version_epoch }) => [identifier, version, version_epoch]),
    [
      [ONE, "1.0", undefined],
      [TWO, "2.0", 1],
    ],
  );
  const requests = at.server.requests.length;
  const manager = await at.other.open();
  const planned = await manager.installFromLock(at.file, { dryRun: true });
  assert.deepEqual(
    planned.map(({ state }) => state),
    ["planned", "planned"],
  );
  assert.deepEqual(await at.other.files(), {});
  const outcomes = await manager.installFromLock(at.file);
  assert.deepEqual(
    outcomes.map(({ state, version, fault }) => [state, version, fault]),
    [
      ["done", "1.0", undefined],
      ["done", "1-2.0", undefined],
    ],
  );
  assert.ok(at.server.requests.slice(requests).every((line) => line.includes(".zip")));
  assert.deepEqual(withoutState(await at.other.files()), withoutState(await at.site.files()));
  assert.deepEqual(
    (await manager.installFromLock(at.file)).map(({ state }) => state),
    ["nothing", "nothing"],
  );
  assert.deepEqual(
    (await manager.lock(join(at.other.folder, "again.json"))).packages.map(({ sha256 }) => sha256),
    lock.packages.map(({ sha256 }) => sha256),
  );
});

const withoutState = ({ "installed_packages.json": _state, ...files }: Record<string, string>) => files;

test("when one archive of a lock file is missing or different, nothing is changed", async () => {
  await using at = await installed();
  await at.manager.install([ONE, TWO]);
  const lock = await at.manager.lock(at.file);
  const manager = await at.other.open();
  const path = `/archives/${TWO}/1-2.0.zip`;
  const archive = at.server.files.get(path) ?? Buffer.alloc(0);
  at.server.files.delete(path);
  await assert.rejects(manager.installFromLock(at.file), { code: "http-status" });
  at.server.files.set(path, Buffer.concat([archive.subarray(0, -1), Buffer.from("x")]));
  await assert.rejects(manager.installFromLock(at.file), { code: "wrong-sha256" });
  const swapped: Lock = {
    ...lock,
    packages: lock.packages.map((locked) => ({ ...locked, identifier: `${locked.identifier}x` })),
  };
  at.server.files.set(path, archive);
  await writeFile(at.file, JSON.stringify(swapped));
  await assert.rejects(manager.installFromLock(at.file), { code: "wrong-package" });
  assert.deepEqual(await at.other.files(), {});
});

test("a file that is not a lock file is refused with the reason", async () => {
  await using site = await openSite();
  const manager = await site.open();
  const file = join(site.folder, "lock.json");
  await assert.rejects(manager.installFromLock(file), { code: "bad-file" });
  const entry = {
    identifier: ONE,
    version: "1",
    sha256: "0".repeat(64),
    size: 1,
    url: "http://x/a.zip",
    repository: { name: "x", url: "http://x/r.json" },
  };
  const format = "backplane-lock-1";
  for (const [text, says] of [
    ["{", /not JSON/],
    ["{}", /format/],
    [JSON.stringify({ format, brand: "kicad", packages: [] }), /brand kicad, this is tool/],
    [JSON.stringify({ format, brand: "tool", packages: [{}] }), /entry 1/],
    [JSON.stringify({ format, brand: "tool", packages: [entry, entry] }), /twice/],
    [JSON.stringify({ format, brand: "tool", packages: [{ ...entry, identifier: "../x" }] }), /entry 1/],
  ] as const) {
    await writeFile(file, text);
    await assert.rejects(manager.installFromLock(file), { code: "lock-invalid", message: says });
  }
});

test("a lock file with another version of a pinned package is refused", async () => {
  await using at = await installed();
  await at.manager.install(ONE);
  await at.manager.lock(at.file);
  const manager = await at.other.open();
  await manager.repositories.add(`${at.server.url}/repository.json`);
  await manager.install(`${ONE}@1.0`, { pin: true });
  await assert.rejects(manager.installFromLock(at.file), { code: "pinned" });
});

test("a bundle installs without network, is itself a static repository, and later updates come from the original repository", async () => {
  await using at = await installed();
  const bundle = join(at.site.folder, "tools.bundle.zip");
  const { packages, bytes } = await at.manager.bundle([`${ONE}@1.0`, TWO], bundle);
  assert.equal(packages.length, 2);
  assert.equal((await readFile(bundle)).length, bytes);
  {
    using reader = await openBundle(bundle);
    const text = String(await reader.read("repository.json", 100_000));
    const { repository } = checkRepository(text, { id: "", name: "bundle", url: "file:///x" });
    const listed = (await reader.read("packages.json", 100_000)) ?? Buffer.alloc(0);
    assert.equal(repository.packages.sha256, sha256Of(listed));
  }
  const manager = await at.other.open({ offline: true });
  const requests = at.server.requests.length;
  const outcomes = await manager.installFromBundle(bundle);
  assert.deepEqual(
    outcomes.map(({ state, version, fault }) => [state, version, fault]),
    [
      ["done", "1.0", undefined],
      ["done", "1-2.0", undefined],
    ],
  );
  assert.equal(at.server.requests.length, requests);
  const online = await at.other.open();
  await online.repositories.add(`${at.server.url}/repository.json`);
  assert.deepEqual(
    (await online.update()).map(({ version }) => version),
    ["1.1", "1-2.0"],
  );
});

test("a file that cannot be written is reported with the disk's error", async () => {
  await using at = await installed();
  const nowhere = join(at.site.folder, "packages.lock.json", "b.zip");
  await writeFile(at.file, "a file");
  const told = { code: "not-applied", exitCode: 1, message: /This was not done: the disk reports E/ };
  await assert.rejects(at.manager.bundle([ONE], nowhere), told);
  await assert.rejects(at.manager.lock(nowhere), told);
});

test("only the named packages of a bundle are installed", async () => {
  await using at = await installed();
  const bundle = join(at.site.folder, "b.zip");
  await at.manager.bundle([ONE, TWO], bundle);
  const manager = await at.other.open({ offline: true });
  await manager.installFromBundle(bundle, { identifiers: [TWO] });
  assert.deepEqual(
    (await manager.list()).map(({ identifier }) => identifier),
    [TWO],
  );
  await assert.rejects(manager.installFromBundle(bundle, { identifiers: ["org.example.no"] }), {
    code: "package-unknown",
  });
});

test("a bundle and a lock file also hold packages that version 1 of the schema cannot express", async () => {
  await using at = await installed();
  const published = [{ identifier: ONE, metadata: { type: "fab", license: "MIT OR ISC" } }, { identifier: TWO }];
  putRepository(at.server, published, { byVersion: true, updateTimestamp: 1_900_000_000 });
  await at.manager.refresh();
  const bundle = join(at.site.folder, "both.zip");
  await at.manager.bundle([ONE, TWO], bundle);
  const manager = await at.other.open({ offline: true });
  assert.deepEqual(
    (await manager.installFromBundle(bundle)).map(({ state }) => state),
    ["done", "done"],
  );
  await at.manager.install(ONE);
  await at.manager.lock(at.file);
  await at.manager.uninstall(ONE);
  assert.equal((await at.manager.installFromLock(at.file))[0]?.state, "done");
});

test("a bundle that was changed or truncated is refused, and nothing is installed", async () => {
  await using at = await installed();
  const file = join(at.site.folder, "b.zip");
  await at.manager.bundle([ONE], file);
  const good = await readFile(file);
  const entries = new Map<string, Buffer>();
  {
    using reader = await openBundle(file);
    for (const name of ["lock.json", "repository.json", "packages.json"]) {
      entries.set(name, (await reader.read(name, 100_000)) ?? Buffer.alloc(0));
    }
    const { sha256 } = (JSON.parse(String(entries.get("lock.json"))) as Lock).packages[0] ?? { sha256: "" };
    const place = `archives/${ONE}/1.1-${sha256.slice(0, 16)}.zip`;
    entries.set(place, (await reader.read(place, 1_000_000)) ?? Buffer.alloc(0));
  }
  const zip = (changed: Record<string, Buffer | undefined>) => {
    const all = { ...Object.fromEntries(entries), ...changed };
    return writeZip(Object.entries(all).flatMap(([path, bytes]) => (bytes ? [{ path, bytes }] : [])));
  };
  const archive = [...entries.keys()].find((name) => name.startsWith("archives/")) ?? "";
  const other = Buffer.from(entries.get(archive) ?? "");
  other[other.length - 1] = 1;
  const manager = await at.other.open({ offline: true });
  const bad: [Buffer, RegExp][] = [
    [good.subarray(0, good.length - 50), /not a zip file, or it is cut off/],
    [zip({ "lock.json": undefined }), /lock\.json is missing/],
    [zip({ "packages.json": Buffer.from('{"packages":[]}') }), /does not match its repository\.json/],
    [zip({ [archive]: undefined }), /has no archive/],
    [zip({ [archive]: other }), /has an archive with different content/],
    [
      zip({ "lock.json": Buffer.from(String(entries.get("lock.json")).replace(/"size": \d+/, '"size": 7')) }),
      /does not match its lock file/,
    ],
  ];
  for (const [bytes, says] of bad) {
    await writeFile(file, bytes);
    await assert.rejects(manager.installFromBundle(file), { code: "bundle-invalid", message: says });
  }
  assert.deepEqual(await at.other.files(), {});
  await writeFile(file, zip({}));
  assert.equal((await manager.installFromBundle(file))[0]?.state, "done");
});
