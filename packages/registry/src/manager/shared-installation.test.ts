import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Package, PackageVersion } from "@backplane/contract/registry";
import { inspectArchive } from "../archives/read-archive.ts";
import { type Sample, sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import { toBrand } from "../metadata/brands.ts";
import type { Manifest } from "../repository/manifests-json.ts";
import { newSigningKey } from "../signing/keys.ts";
import { staticFiles } from "./commands/static-repository.ts";
import { exitCodeOfVerified } from "./index.ts";
import { closeKicad, type KicadEntry, kicadFound, kicadText, uninstallInKicad } from "./installing/kicad-6.suite.ts";
import { NOW_MS, openSite, type Site } from "./manager.suite.ts";
import { repositoryId } from "./repositories/configured.ts";
import { type FileServer, openFileServer } from "./repository-server.suite.ts";

const ID = "org.example.sample";
const MAIN = "plugins/org_example_sample/__init__.py";
const SETTINGS = "plugins/org_example_sample/settings.ini";
const KEEP = ["settings[.]ini$"];
const KICAD = { version: "6.0.11", platform: "linux", runtimes: ["swig"] } as const;
const FILES = { "plugins/__init__.py": "one", "plugins/settings.ini": "factory" };

const signingKey = newSigningKey();

/** A signed repository with manifests, as `mirror` writes them; returns what it lists. */
async function publish(server: FileServer, folder: string, samples: readonly Sample[]): Promise<Package> {
  const versions: PackageVersion[] = [];
  const manifests: Manifest[] = [];
  for (const sample of samples) {
    const [version] = (sampleMetadata(sample) as unknown as Package).versions;
    if (!version) throw new Error("A sample has one version.");
    const bytes = sampleArchive({ ...sample, icon: null });
    const path = `/archives/${version.version}.zip`;
    server.files.set(path, bytes);
    const file = join(folder, "archive.zip");
    await writeFile(file, bytes);
    const inspected = await inspectArchive(file);
    if ("refusal" in inspected) throw new Error(inspected.refusal.message);
    manifests.push({ identifier: ID, version: version.version, files: inspected.archive.files });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const download = { download_url: server.url + path, download_sha256: sha256, download_size: bytes.length };
    versions.push({ ...version, tool_version: "6.0", ...download, keep_on_update: KEEP });
  }
  const listed: Package = { ...(sampleMetadata({}) as unknown as Package), versions };
  const nowS = NOW_MS / 1_000;
  const before = join(folder, "published");
  const parts = { name: "Example", brand: "kicad", baseUrl: server.url, packages: [listed], manifests, signingKey };
  const times = { updateTimestamp: nowS + samples.length, nowS };
  for (const { path, bytes } of staticFiles({ ...parts, ...times, icons: new Map(), before })) {
    server.files.set(`/${path}`, bytes);
    await mkdir(dirname(join(before, path)), { recursive: true });
    await writeFile(join(before, path), bytes);
  }
  return listed;
}

async function openShared() {
  const server = await openFileServer();
  const site = await openSite();
  const stateFile = join(site.folder, "settings", "installed_packages.json");
  await mkdir(dirname(stateFile));
  const listed = await publish(server, site.folder, [{ version: "1.0.0", files: FILES }]);
  const manager = await site.open({ stateFile, brand: "kicad", tool: KICAD });
  await manager.repositories.add(`${server.url}/repository.json`);
  return {
    ...{ server, site, stateFile, listed, manager },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** The files, and the entry without the keys that KiCad 6 does not know. */
async function installInKicad(site: Site, stateFile: string, listed: Package, server: FileServer): Promise<void> {
  await put(site, MAIN, "one");
  await put(site, SETTINGS, "factory");
  const entry: KicadEntry & Record<string, unknown> = {
    current_version: "1.0.0",
    install_timestamp: 1_794_748_984,
    package: toBrand(listed, "kicad") as KicadEntry["package"],
    repository_id: repositoryId(`${server.url}/repository.json`),
    repository_name: "Example",
  };
  await writeFile(stateFile, kicadText([entry]));
  closeKicad(stateFile);
}

async function put(site: Site, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(site.root, path)), { recursive: true });
  await writeFile(join(site.root, path), content);
}

test("a package that KiCad installed is listed, updated with its settings kept, and uninstalled", async () => {
  await using shared = await openShared();
  const { server, site, stateFile, listed, manager } = shared;
  await installInKicad(site, stateFile, listed, server);
  await put(site, SETTINGS, "mine");
  assert.deepEqual(
    (await manager.list()).map(({ identifier, version, repository }) => [identifier, version, repository.name]),
    [[ID, "1.0.0", "Example"]],
  );
  await publish(server, site.folder, [
    { version: "1.0.0", files: FILES },
    { version: "1.1.0", files: { ...FILES, "plugins/__init__.py": "two" } },
  ]);
  await manager.refresh();
  const [updated] = await manager.update();
  assert.equal(updated?.fault, undefined);
  assert.deepEqual([updated?.state, updated?.version], ["done", "1.1.0"]);
  assert.deepEqual([(await site.files())[MAIN], (await site.files())[SETTINGS]], ["two", "mine"]);
  const { packages } = JSON.parse(await readFile(stateFile, "utf8"));
  assert.deepEqual([packages[0].current_version, packages.length], ["1.1.0", 1]);
  closeKicad(stateFile);
  assert.equal(exitCodeOfVerified(await manager.verify()), 0);
  assert.equal((await manager.uninstall(ID))[0]?.state, "done");
  assert.deepEqual(await site.files(), {});
});

test("a pin stays after KiCad wrote the list; an update does not reinstall what KiCad uninstalled", async () => {
  await using shared = await openShared();
  const { server, site, stateFile, manager } = shared;
  await manager.install(ID, { pin: true });
  closeKicad(stateFile);
  await publish(server, site.folder, [
    { version: "1.0.0", files: FILES },
    { version: "1.1.0", files: FILES },
  ]);
  await manager.refresh();
  const [kept] = await manager.update();
  assert.deepEqual([kept?.state, kept?.version], ["nothing", "1.0.0"]);
  assert.match(kept?.notes[0] ?? "", /is pinned/);
  uninstallInKicad(site.root, stateFile, ID);
  assert.deepEqual(await manager.update(), []);
  assert.deepEqual([await manager.list(), await manager.verify()], [[], []]);
  assert.ok(!existsSync(join(site.root, ".backplane/manifests", `${ID}.json`)));
});

test("verify checks packages that KiCad installed completely, with the manifest that the repository publishes", async () => {
  await using shared = await openShared();
  const { server, site, stateFile, listed, manager } = shared;
  await installInKicad(site, stateFile, listed, server);
  await put(site, SETTINGS, "mine");
  const whole = { identifier: ID, version: "1.0.0", files: 2, missing: [], altered: [], extra: [], manifest: "known" };
  assert.deepEqual(await manager.verify(), [{ ...whole, kept: [SETTINGS] }]);
  const asked = server.requests.length;
  await put(site, MAIN, "altered");
  const [verified] = await manager.verify([ID]);
  assert.deepEqual([verified?.altered, verified?.kept], [[MAIN], [SETTINGS]]);
  assert.equal(server.requests.length, asked, "the manifest comes from the cache");
  const [repaired] = await manager.repair();
  assert.deepEqual([repaired?.state, repaired?.plan?.replaced], ["done", [MAIN]]);
  assert.deepEqual([(await site.files())[MAIN], (await site.files())[SETTINGS]], ["one", "mine"]);
  assert.deepEqual((await manager.verify())[0]?.kept, [SETTINGS]);
});

test("a manifest that does not match the signed hash is not used, and reported", async () => {
  await using shared = await openShared();
  const { server, site, stateFile, listed, manager } = shared;
  await installInKicad(site, stateFile, listed, server);
  for (const [path, bytes] of server.files) {
    if (/manifest/.test(path)) server.files.set(path, Buffer.from(bytes.toString().replace(/.$/m, " ")));
  }
  const [verified] = await manager.verify();
  assert.deepEqual([verified?.manifest, verified?.altered], ["unknown", []]);
  assert.match(verified?.note ?? "", /does not match the repository/);
});

test("offline, or from a repository that is not configured, the files stay unknown", async () => {
  await using shared = await openShared();
  const { server, site, stateFile, listed, manager } = shared;
  await installInKicad(site, stateFile, listed, server);
  const offline = await site.open({ stateFile, brand: "kicad", tool: KICAD, offline: true });
  assert.equal((await offline.verify())[0]?.manifest, "unknown");
  await manager.repositories.remove("Example");
  const [verified] = await manager.verify();
  assert.deepEqual([verified?.manifest, verified?.note], ["unknown", undefined]);
});

test("folders that KiCad found but does not know are skipped with a note, and taken over by an install", async () => {
  await using shared = await openShared();
  const { site, stateFile, manager } = shared;
  await manager.install(ID);
  const { packages } = JSON.parse(await readFile(stateFile, "utf8"));
  await writeFile(stateFile, kicadText([kicadFound("org.example.found"), ...packages]));
  const told = /does not know which package/;
  assert.match((await manager.list())[0]?.note ?? "", told);
  const [updated, ...others] = await manager.update();
  assert.deepEqual([updated?.state, others.map(({ state }) => state)], ["nothing", ["nothing"]]);
  assert.match(updated?.notes[0] ?? "", told);
  assert.match((await manager.repair())[0]?.notes[0] ?? "", told);
  assert.equal(exitCodeOfVerified(await manager.verify()), 0);
  const file = join(site.folder, "lock.json");
  const lock = await manager.lock(file);
  assert.deepEqual(
    lock.packages.map(({ identifier }) => identifier),
    [ID],
  );
  assert.match(lock.notes[0] ?? "", /org\.example\.found was left out/);
  assert.equal(JSON.parse(await readFile(file, "utf8")).notes, undefined);

  await rm(join(site.root, ".backplane/manifests"), { recursive: true });
  await writeFile(stateFile, kicadText([kicadFound(ID)]));
  const [explained] = [await manager.explain(ID)];
  assert.match(explained.update?.because ?? "", /takes it over/);
  const [taken] = await manager.install(ID);
  assert.deepEqual([taken?.state, taken?.version], ["done", "1.0.0"]);
  assert.deepEqual(
    (await manager.list()).map(({ version, note }) => [version, note]),
    [["1.0.0", undefined]],
  );
});
