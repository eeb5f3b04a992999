import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Manager } from "./index.ts";
import { openSite } from "./manager.suite.ts";
import { repositoryId } from "./repositories/configured.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

const ID = "org.example.sample";

async function two() {
  const disposal = new AsyncDisposableStack();
  const first = disposal.use(await openFileServer());
  const second = disposal.use(await openFileServer());
  const site = disposal.use(await openSite());
  const manager: Manager = await site.open();
  await manager.repositories.add(putRepository(first, [{ version: "1.0" }], { name: "First" }));
  await manager.repositories.add(
    putRepository(second, [{ version: "9.0" }, { identifier: "org.example.only" }], { name: "Second" }),
  );
  return { first, second, site, manager, [Symbol.asyncDispose]: () => disposal.disposeAsync() };
}

test("when two repositories list one identifier, the first counts unless the other is named; explain says so", async () => {
  await using at = await two();
  const { manager } = at;
  const explained = await manager.explain(ID);
  assert.deepEqual(
    explained.repositories.map(({ name, has, chosen, because }) => [name, has, chosen, because]),
    [
      ["First", true, true, "it is the first that has it"],
      ["Second", true, false, "First comes first"],
    ],
  );
  assert.deepEqual(
    explained.install.map(({ listed, chosen }) => [listed.version, chosen]),
    [["1.0", true]],
  );
  assert.deepEqual(
    (await manager.info(ID)).alsoIn.map(({ name }) => name),
    ["Second"],
  );
  assert.equal((await manager.info(`Second:${ID}`)).preferred?.version, "9.0");
  assert.equal(
    (await manager.info(`${repositoryId(`${at.second.url}/repository.json`)}:${ID}`)).repository.name,
    "Second",
  );
  assert.equal((await manager.install(`second:${ID}`))[0]?.version, "9.0");
  await assert.rejects(manager.info(`Third:${ID}`), { code: "repository-unknown" });
  await assert.rejects(manager.info("First:org.example.only"), { code: "package-unknown" });
});

test("a package is updated only from the repository it was installed from", async () => {
  await using at = await two();
  const { manager } = at;
  await manager.install(ID);
  const [unchanged] = await manager.update();
  assert.deepEqual([unchanged?.state, unchanged?.version], ["nothing", "1.0"]);
  const [named] = await manager.install(`Second:${ID}`);
  assert.equal(named?.fault?.code, "other-repository");
  const explained = await manager.explain(ID);
  assert.deepEqual(
    explained.repositories.map(({ because }) => because),
    ["it is installed from here", "it is installed from First"],
  );

  // Its own repository drops it: a package with the same name elsewhere must not replace it.
  putRepository(at.first, [{ identifier: "org.example.other" }], { name: "First", updateTimestamp: 2 });
  await manager.refresh();
  const [dropped] = await manager.update();
  assert.equal(dropped?.fault?.code, "other-repository");
  await manager.repositories.remove("First");
  const [removed] = await manager.update();
  assert.deepEqual([removed?.state, removed?.fault], ["nothing", undefined]);
  assert.match(removed?.notes[0] ?? "", /First, which is not configured/);
  assert.equal((await manager.update([ID], { changeRepository: true }))[0]?.version, "9.0");
  assert.equal((await manager.list())[0]?.repository.name, "Second");
});

test("while an earlier repository cannot be read, a later one does not replace it unless named", async () => {
  await using at = await two();
  at.first.files.set("/repository.json", Buffer.from("<html>"));
  await at.manager.refresh();
  const [skipped] = await at.manager.install("org.example.only");
  assert.equal(skipped?.fault?.code, "repository-skipped");
  assert.match(skipped?.fault?.message ?? "", /name it as Second:org\.example\.only/);
  assert.equal((await at.manager.install("Second:org.example.only"))[0]?.state, "done");
});

test("when an earlier repository lists a package with a fault, a later one does not replace it unless named", async () => {
  await using at = await two();
  const { manager } = at;
  putRepository(at.first, [{ version: "1.0", metadata: { license: "Mine" } }], {
    name: "First",
    updateTimestamp: 1_900_000_000,
  });
  const [failed] = await manager.install(ID);
  assert.equal(failed?.fault?.code, "package-invalid");
  assert.match(
    failed?.fault?.message ?? "",
    /^First lists org\.example\.sample with an error\. .*license.* Second:org\.example\.sample\.$/,
  );
  assert.equal((await manager.install(`Second:${ID}`))[0]?.state, "done");
});

test("search covers all repositories, lists each identifier once, and sorts by relevance", async () => {
  await using at = await two();
  const found = await at.manager.search("");
  assert.deepEqual(
    found.map(({ identifier, version, repository }) => [identifier, version, repository.name]),
    [
      ["org.example.only", "1.0.0", "Second"],
      [ID, "1.0", "First"],
    ],
  );
  assert.equal((await at.manager.search("only"))[0]?.identifier, "org.example.only");
  assert.deepEqual(await at.manager.search("autoroutr"), []);
  assert.equal((await at.manager.search("SAMPLE small", { type: "plugin", limit: 1 })).length, 1);
  assert.deepEqual(await at.manager.search("", { type: "library" }), []);
});

test("repositories have an order and unique names; each can be added once", async () => {
  await using at = await two();
  const { manager } = at;
  await assert.rejects(manager.repositories.add(`${at.first.url}/repository.json`), { code: "repository-exists" });
  await manager.repositories.remove("Second");
  const other = putRepository(at.second, [{}], { name: "First", updateTimestamp: 3 });
  await assert.rejects(manager.repositories.add(other, { name: "First" }), { code: "repository-exists" });
  assert.equal((await manager.repositories.add(other, { first: true })).name, "First 2");
  assert.deepEqual(
    (await manager.repositories.list()).map(({ name, packages }) => [name, packages]),
    [
      ["First 2", 1],
      ["First", 1],
    ],
  );
  for (const url of ["ftp://x/repository.json", "not an address", "http://user:pass@example.org/repository.json"]) {
    await assert.rejects(manager.repositories.add(url), { code: "bad-url", exitCode: 2 });
  }
  await assert.rejects(manager.repositories.add("http://127.0.0.1:1/r.json", { name: "a:b" }), { code: "bad-spec" });
});

test("a list of repositories that cannot be read is reported, and not overwritten", async () => {
  await using at = await two();
  const file = join(at.site.root, ".backplane", "repositories.json");
  await writeFile(file, "{ half");
  await assert.rejects(at.manager.repositories.list(), {
    code: "bad-file",
    message: /repositories\.json cannot be read/,
  });
  await assert.rejects(at.manager.repositories.add(`${at.first.url}/repository.json`), { code: "bad-file" });
  assert.equal(await readFile(file, "utf8"), "{ half");
});
