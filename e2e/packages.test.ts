import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { SAMPLE_ICON, type Sample, sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { scratchFolder } from "../packages/sdk/src/testing/scratch.ts";
import { isLongRun } from "../scripts/testing/long.ts";
import { readAsKicad } from "./support/kicad.ts";
import {
  ENGINES,
  type Engine,
  packageCommands,
  type Refused,
  type Registry,
  serveFiles,
  startRegistry,
  writeSource,
} from "./support/packages.ts";

const IDENTIFIER = "org.example.bench";
const FOLDER = "plugins/org_example_bench";

const PUBLISHERS = 10;
const READERS = isLongRun ? 100 : 10;
/** Longest pause between two requests of one reader. */
const MAX_PAUSE_MS = 300;

/** The author's source of one version. */
const sourceOf = (version: string) => ({
  identifier: IDENTIFIER,
  version,
  metadata: { keep_on_update: ["/settings[.]json$"] },
  files: { "plugins/__init__.py": `VERSION = "${version}"\n`, "plugins/settings.json": "{}\n" },
});

type Outcomes = {
  outcomes: {
    identifier: string;
    state: string;
    version?: string;
    plan?: { kind: string; added: string[]; replaced: string[]; kept: string[]; deleted: string[] };
    notes: string[];
    fault?: { code: string; message: string };
  }[];
};
type Checked = { packages: { missing: string[]; altered: string[]; kept: string[]; files: number }[] };

/** For all steps together, on a busy machine. */
const TIMEOUT_MS = 10 * 60_000;

/** One engine is enough here outside the long run: the registry's own suites run on every engine. */
const TESTED_ENGINES = isLongRun ? ENGINES : ENGINES.slice(-1);

// In parallel: a command mostly uses one core.
suite("a package on the command line", { concurrency: TESTED_ENGINES.length, timeout: TIMEOUT_MS }, () => {
  for (const engine of TESTED_ENGINES) testPackageLifecycle(engine);
});

function testPackageLifecycle(engine: Engine): void {
  suite(engine, { concurrency: 1, timeout: TIMEOUT_MS }, () => {
    const work = scratchFolder();
    let registry: Registry;
    let commands: ReturnType<typeof packageCommands>;
    before(async () => {
      registry = await startRegistry(engine);
      commands = packageCommands(work.path, {
        BASE_URL: registry.url,
        BACKPLANE_TOKEN: registry.apiKey,
        BACKPLANE_PKG_ROOT: "root",
      });
    });
    after(async () => {
      await commands?.[Symbol.asyncDispose]();
      await registry?.[Symbol.asyncDispose]();
      work[Symbol.dispose]();
    });

    let isBroken = false;
    /** Each step builds on the previous ones, so the rest is skipped after a failure. */
    const step = (name: string, act: () => Promise<void>) =>
      test(name, async (t) => {
        if (isBroken) return t.skip("an earlier step failed");
        isBroken = true;
        await act();
        isBroken = false;
      });

    const json = <Answer>(code: number, ...args: string[]): Promise<Answer> => commands.json<Answer>(code, ...args);
    const refused = async (code: number, ...args: string[]) => (await json<Refused>(code, ...args)).error;
    const only = async (code: number, ...args: string[]) => {
      const { outcomes } = await json<Outcomes>(code, ...args);
      assert.equal(outcomes.length, 1);
      return outcomes[0] as Outcomes["outcomes"][number];
    };
    const at = (...path: string[]) => join(work.path, ...path);
    const read = (path: string) => readFileSync(at(path), "utf8");
    const published = async (version: string) => {
      writeSource(at(version), sourceOf(version));
      await json(0, "pack", version);
      return json<Record<string, unknown>>(0, "publish", `${version}.zip`);
    };

    step("is written, checked and published once", async () => {
      writeSource(at("1.0.0"), sourceOf("1.0.0"));
      const packed = await json<{ file: string; sha256: string; size: number; installSize: number }>(
        ...([0, "pack", "1.0.0"] as const),
      );
      assert.deepEqual(
        [packed.file, packed.installSize],
        ["1.0.0.zip", 'VERSION = "1.0.0"\n{}\n'.length + SAMPLE_ICON.length],
      );
      const again = await json<{ sha256: string }>(0, "pack", "1.0.0", "--out", "again.zip");
      assert.equal(again.sha256, packed.sha256, "the same folder gives the same bytes");
      assert.deepEqual(await json(0, "validate", "1.0.0.zip", "1.0.0"), {
        files: [
          { file: "1.0.0.zip", notes: [] },
          { file: "1.0.0", notes: [] },
        ],
      });

      const broken = read("1.0.0/metadata.json").replace('"MIT"', '"MTI"');
      writeFileSync(at("broken.json"), broken);
      const { files } = await json<{ files: { notes: Record<string, unknown>[] }[] }>(1, "validate", "broken.json");
      const line = broken.split("\n").findIndex((text) => text.includes("MTI")) + 1;
      const [note] = files[0]?.notes ?? [];
      assert.deepEqual([note?.level, note?.pointer, note?.line], ["error", "/license", line]);
      assert.equal((await refused(2, "validate", "none.json")).code, "bad-file");

      const checked = await json<{ publishable: boolean }>(0, "publish", "--check", "1.0.0.zip");
      assert.equal(checked.publishable, true);
      const { warnings, ...version } = await json<Record<string, unknown>>(0, "publish", "1.0.0.zip");
      assert.deepEqual(warnings, []);
      assert.deepEqual(version, {
        identifier: IDENTIFIER,
        version: "1.0.0",
        version_epoch: 0,
        status: "stable",
        owner: "owner",
        private: false,
        download_url: `${registry.url}/registry/archives/${IDENTIFIER}/${IDENTIFIER}-1.0.0.zip`,
        download_sha256: packed.sha256,
        download_size: packed.size,
        install_size: packed.installSize,
      });
      assert.equal((await refused(6, "publish", "1.0.0.zip")).code, "version-exists");
      await using stranger = packageCommands(work.path, { BASE_URL: registry.url });
      assert.equal((await stranger.json<Refused>(4, "publish", "1.0.0.zip")).error.code, "not-signed-in");
    });

    step("is found, described and explained", async () => {
      const { packages } = await json<{ packages: Record<string, unknown>[] }>(0, "search", "sample");
      assert.deepEqual(
        packages.map(({ identifier, version, status }) => [identifier, version, status]),
        [[IDENTIFIER, "1.0.0", "stable"]],
      );
      assert.deepEqual(await json(5, "search", "nothing-like-it"), { packages: [] });
      const info = await json<{ package: { identifier: string }; preferred: { version: string } }>(
        ...([0, "info", IDENTIFIER] as const),
      );
      assert.deepEqual([info.package.identifier, info.preferred.version], [IDENTIFIER, "1.0.0"]);
      assert.equal((await refused(5, "info", "org.example.none")).code, "package-unknown");
      const explained = await json<{ install: { chosen: boolean; because: string }[] }>(0, "explain", IDENTIFIER);
      assert.deepEqual(
        explained.install.map(({ chosen }) => chosen),
        [true],
      );
    });

    step("is installed as the dry run said; for an incompatible tool the reason is given", async () => {
      const planned = await only(0, "install", IDENTIFIER, "--dry-run");
      assert.equal(planned.state, "planned");
      const files = [`${FOLDER}/__init__.py`, `${FOLDER}/settings.json`, "resources/org_example_bench/icon.png"];
      assert.deepEqual(planned.plan?.added.toSorted(), files);
      assert.equal(existsSync(at("root", FOLDER)), false);
      const unfit = await only(6, "install", IDENTIFIER, "--tool", "8.0");
      assert.equal(unfit.fault?.code, "not-compatible");
      const done = await only(0, "install", IDENTIFIER);
      assert.deepEqual([done.state, done.plan], ["done", planned.plan]);
      assert.equal(read(`root/${FOLDER}/__init__.py`), 'VERSION = "1.0.0"\n');
      assert.equal((await only(0, "install", IDENTIFIER)).state, "nothing");
      const listed = await json<{ packages: { version: string }[] }>(0, "list");
      assert.deepEqual(
        listed.packages.map(({ version }) => version),
        ["1.0.0"],
      );
    });

    step("is updated, and the user's own file is kept", async () => {
      writeFileSync(at("root", FOLDER, "settings.json"), "mine\n");
      await published("2.0.0");
      const planned = await only(0, "update", "--dry-run");
      assert.deepEqual(planned.plan?.kept, [`${FOLDER}/settings.json`]);
      assert.ok(planned.plan?.replaced.includes(`${FOLDER}/__init__.py`));
      const done = await only(0, "update");
      assert.deepEqual([done.state, done.version], ["done", "2.0.0"]);
      assert.equal(read(`root/${FOLDER}/__init__.py`), 'VERSION = "2.0.0"\n');
      assert.equal(read(`root/${FOLDER}/settings.json`), "mine\n");
      assert.equal((await only(0, "update")).state, "nothing");
    });

    step("is verified and, when it was damaged, repaired", async () => {
      await json<Checked>(0, "verify");
      appendFileSync(at("root", FOLDER, "__init__.py"), "damage");
      const { packages } = await json<Checked>(1, "verify", IDENTIFIER);
      assert.deepEqual(packages[0]?.altered, [`${FOLDER}/__init__.py`]);
      assert.equal((await only(0, "repair", "--dry-run")).state, "planned");
      assert.equal((await only(0, "repair")).state, "done");
      assert.equal(read(`root/${FOLDER}/settings.json`), "mine\n");
      await json<Checked>(0, "verify");
      assert.equal((await only(0, "repair")).state, "nothing");
    });

    step("is left alone while it is pinned", async () => {
      await json(0, "pin", IDENTIFIER);
      await published("2.1.0");
      assert.equal((await only(0, "update")).state, "nothing");
      assert.equal((await only(6, "update", IDENTIFIER)).fault?.code, "pinned");
      await json(0, "unpin", IDENTIFIER);
      assert.equal((await only(0, "update", "--dry-run")).version, "2.1.0");
    });

    step("a lock file and a bundle install the same elsewhere, the bundle without a network", async () => {
      await json(0, "lock", "bench.lock.json");
      const locked = await only(0, "install", "--lock", "bench.lock.json", "--root", "locked");
      assert.deepEqual([locked.state, locked.version], ["done", "2.0.0"]);
      await json(0, "bundle", `${IDENTIFIER}@1.0.0`, "--out", "bench.bundle");
      const bundled = await only(0, "install", "--bundle", "bench.bundle", "--root", "bundled", "--offline");
      assert.deepEqual([bundled.state, bundled.version], ["done", "1.0.0"]);
      for (const [root, version] of [
        ["locked", "2.0.0"],
        ["bundled", "1.0.0"],
      ]) {
        assert.equal(read(`${root}/${FOLDER}/__init__.py`), `VERSION = "${version}"\n`);
        await json(0, "verify", "--root", String(root));
      }
    });

    step("a deprecated version is never preferred over others", async () => {
      assert.deepEqual(await json(0, "deprecate", `${IDENTIFIER}@2.1.0`), {
        identifier: IDENTIFIER,
        version: "2.1.0",
        status: "deprecated",
      });
      assert.equal((await only(0, "update")).state, "nothing");
      assert.equal((await refused(5, "deprecate", `${IDENTIFIER}@7.0`)).code, "version-unknown");
      assert.equal((await refused(2, "deprecate", IDENTIFIER)).code, "bad-spec");
      const away = ["publish", "1.0.0", "--url", "http://127.0.0.1:9"];
      assert.equal((await refused(3, ...away)).code, "unreachable");
    });

    step("a mirror and a build can be served by any web server; a changed file is refused", async () => {
      await using mirrored = await serveFiles(at("mirror"));
      await using built = await serveFiles(at("built"));
      const copied = await json<{ versions: number; fetched: number }>(
        ...([0, "mirror", `${registry.url}/registry/repository.json`, "mirror"] as const),
        ...["--base-url", mirrored.url, "--name", "Copy"],
      );
      assert.deepEqual([copied.versions, copied.fetched], [3, 3]);
      const from = ["1.0.0.zip", "2.0.0.zip"];
      await json(0, "build", ...from, "--out", "built", "--base-url", built.url, "--name", "Built");
      for (const [root, { url, asked }, version] of [
        ["from-mirror", mirrored, "2.0.0"],
        ["from-build", built, "2.0.0"],
      ] as const) {
        await json(0, "repo", "add", `${url}/repository.json`, "--root", root);
        const { state, version: installed } = await only(0, "install", IDENTIFIER, "--root", root);
        assert.deepEqual([state, installed], ["done", version]);
        assert.match(asked.at(-1) ?? "", new RegExp(`^/archives/${IDENTIFIER}/${version}.*[.]zip$`));
      }

      const folder = at("built/archives", IDENTIFIER);
      const archive = join(folder, readdirSync(folder).find((name) => name.startsWith("1.0.0")) ?? "");
      const bytes = readFileSync(archive);
      const middle = bytes.length >> 1;
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      // Do not change it in place: it may be a hard link to the source.
      writeFileSync(`${archive}.changed`, bytes);
      renameSync(`${archive}.changed`, archive);
      const spoiled = await only(6, "install", `${IDENTIFIER}@1.0.0`, "--root", "from-build");
      assert.equal(spoiled.fault?.code, "wrong-sha256");
      assert.equal(read(`from-build/${FOLDER}/__init__.py`), 'VERSION = "2.0.0"\n');
    });

    step(
      "another repository is imported: a dry run changes nothing, what is here is skipped, and every refusal is named",
      async () => {
        const identifier = "org.example.imported";
        const versions = ["1.0.0", "1.1.0", "1.2.0"];
        for (const version of versions) {
          writeSource(at(`import-${version}`), { ...sourceOf(version), identifier });
          await json(0, "pack", `import-${version}`);
        }
        await using there = await serveFiles(at("there"));
        const archives = versions.map((version) => `import-${version}.zip`);
        await json(0, "build", ...archives, "--out", "there", "--base-url", there.url, "--name", "There");
        type Imported = { versions: { version: string; state: string; message?: string }[] };
        const imported = async (code: number, ...options: string[]) => {
          const answer = await json<Imported>(
            ...([code, "import", `${there.url}/repository.json`, "--brand", "tool", ...options] as const),
          );
          return Object.fromEntries(answer.versions.map(({ version, state }) => [version, state]));
        };
        const fetched = () => there.asked.filter((path) => path.endsWith(".zip")).length;
        const all = (state: string) => Object.fromEntries(versions.map((version) => [version, state]));
        assert.deepEqual(await imported(0, "--dry-run"), all("planned"));
        assert.equal(fetched(), 0);

        // As if an import had been interrupted after the first version. The archive of the last one is damaged.
        await json(0, "publish", "import-1.0.0.zip");
        const folder = at("there/archives", identifier);
        const archive = join(folder, readdirSync(folder).find((name) => name.startsWith("1.2.0")) ?? "");
        const bytes = readFileSync(archive);
        renameSync(archive, `${archive}.right`);
        writeFileSync(archive, Buffer.alloc(bytes.length));
        assert.deepEqual(await imported(6), { "1.0.0": "present", "1.1.0": "published", "1.2.0": "refused" });
        renameSync(`${archive}.right`, archive);
        assert.deepEqual(await imported(0), { "1.0.0": "present", "1.1.0": "present", "1.2.0": "published" });
        const before = fetched();
        assert.deepEqual(await imported(0), all("present"));
        assert.equal(fetched(), before, "what is here is not downloaded again");

        const last = [`${identifier}@1.2.0`, "--reason", "Leaked."];
        await json(0, "unpublish", ...last);
        assert.equal((await refused(5, "unpublish", ...last)).code, "version-unpublished");
        assert.equal((await refused(6, "publish", "import-1.2.0.zip")).code, "version-exists");
        for (const visibility of ["private", "public"]) {
          assert.deepEqual(await json(0, "visibility", identifier, visibility), { identifier, visibility });
        }
        assert.equal((await refused(2, "visibility", identifier, "hidden")).code, "wrong-usage");
      },
    );

    step("is removed, and an unreachable registry is reported", async () => {
      const { plan } = await only(0, "uninstall", IDENTIFIER);
      assert.equal(plan?.deleted.length, 3);
      assert.deepEqual(readdirSync(at("root", "plugins")), []);
      assert.equal((await only(5, "uninstall", IDENTIFIER)).fault?.code, "not-installed");
      assert.equal((await refused(3, "repo", "add", "http://127.0.0.1:9/repository.json")).code, "unreachable");
      const again = await only(0, "install", IDENTIFIER, "--offline");
      assert.equal(again.state, "done", "installed from the cached archive");
    });

    test("ten publishers and many KiCad clients: each client gets exactly the files its repository.json named, however slow it is", async () => {
      const publish = async (sample: Sample) => {
        const response = await fetch(`${registry.url}/registry/packages`, {
          method: "POST",
          headers: { "content-type": "application/zip", "x-api-key": registry.apiKey },
          body: new Uint8Array(sampleArchive(sample)),
        });
        assert.equal(response.status, 201, await response.text());
      };
      await publish({ identifier: "org.example.first" });
      const choose = (count: number) => Math.floor(Math.random() * count);
      const over = Promise.withResolvers<void>();
      const patient = readAsKicad(registry.url, { choose, meanwhile: () => over.promise });
      let isOver = false;
      const readers = Array.from({ length: READERS }, async () => {
        let versions = 0;
        do {
          const meanwhile = () => pause(Math.random() * MAX_PAUSE_MS);
          const seen = await readAsKicad(registry.url, { choose, meanwhile });
          assert.ok(seen >= versions, "listed versions stay listed");
          versions = seen;
        } while (!isOver);
      });
      const publishers = Array.from({ length: PUBLISHERS }, async (_, n) => {
        for (const version of ["1.0", "1.1"]) await publish({ identifier: `org.example.p${n}`, version });
      });
      await Promise.all(publishers).finally(() => {
        isOver = true;
        over.resolve();
      });
      const settled = await Promise.all([patient, ...readers]);
      const last = await readAsKicad(registry.url, { choose, meanwhile: async () => {} });
      assert.ok(last >= 1 + PUBLISHERS * 2 && settled.length === READERS + 1);
    });
  });
}
