import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSnapshot } from "../packages/kit/src/database/index.ts";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { programOf } from "../scripts/programs.ts";
import { createTestDatabase } from "../scripts/services/index.ts";
import { Program, plainEnvironment } from "./support/backplane.ts";
import { type Person, signInAs } from "./support/person.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";

/** Of each engine. */
const BACKUPS = 25;
const KILLS = 10;

type Write = { kind: "version" | "file" | "key"; name: string; ackedMs: number };

/** Publishes, writes files and makes keys until it is stopped, and remembers what was acknowledged, and when. */
function startLoad(url: string, apiKey: string, owner: Person) {
  const acked: Write[] = [];
  let isOver = false;
  let count = 0;
  const headers = { "x-api-key": apiKey };
  const note = async (kind: Write["kind"], name: string, response: Response) => {
    const text = await response.text();
    if (response.ok) acked.push({ kind, name, ackedMs: Date.now() });
    // Limits of calls per minute.
    else if (response.status === 429) await sleep(200);
    else throw new Error(`${kind} ${name}: ${response.status} ${text}`);
  };
  const send = async (kind: Write["kind"], name: string, path: string, init: RequestInit) =>
    note(kind, name, await fetch(`${url}${path}`, init));
  const once = async () => {
    const at = ++count;
    const bytes = sampleArchive({ identifier: `org.example.p${at}`, version: "1.0.0" });
    const zip = { ...headers, "content-type": "application/zip" };
    await send("version", `org.example.p${at}`, "/registry/packages", {
      method: "POST",
      headers: zip,
      body: new Uint8Array(bytes),
    });
    const file = `/api/workspaces/editor/owner/rover/current/files/note-${at}.txt`;
    const put = { ...headers, "content-type": "application/octet-stream", "if-none-match": "*" };
    await send("file", `note-${at}.txt`, file, { method: "PUT", headers: put, body: `text ${at}` });
    const body = { name: `robot ${at}`, scopes: ["read"] };
    // A key cannot make keys.
    if (at % 50 === 1)
      await note("key", `robot ${at}`, await owner.call(url, "/auth/api-keys", { method: "POST", body }));
  };
  const running = Promise.all(
    [1, 2].map(async () => {
      while (!isOver) await once();
    }),
  );
  let fault: unknown;
  running.catch((error: unknown) => {
    fault = error;
  });
  return {
    acked,
    /** Throws if the load has ended by a fault. */
    check() {
      if (fault !== undefined) throw fault;
    },
    async stop() {
      isOver = true;
      await running;
    },
  };
}

async function backplane(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  await using program = new Program(process.execPath, [programOf("cli"), ...args], {
    cwd,
    env: { ...plainEnvironment(), HOME: cwd, ...env },
  });
  const code = await program.ended();
  return { code, output: program.output };
}

const ENGINES = ["sqlite", "postgres"] as const;

for (const engine of ENGINES) {
  suite(`backups of a running platform on ${engine}`, { concurrency: 1 }, () => {
    const stack = new AsyncDisposableStack();
    let platform: RunningPlatform;
    let folder: string;
    let env: NodeJS.ProcessEnv;
    let load: ReturnType<typeof startLoad>;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "backup-e2e-"));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      const database = engine === "postgres" ? stack.use(await createTestDatabase()) : undefined;
      env = { ...(database ? { DATABASE_URL: database.url } : {}), BACKUP_TO: join(folder, "backups") };
      platform = stack.use(await startPlatform({ ...env, QUOTA_PACKAGES: "999999" }));
      env = { ...env, BACKPLANE_HOME: platform.home };
      const { api_key: apiKey } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
      load = startLoad(platform.url, apiKey, await signInAs(platform.url));
      await until(() => {
        load.check();
        return load.acked.length > 30;
      }, "the first writes");
    });
    after(() => stack.disposeAsync());

    test(`${BACKUPS} backups under load have every write that was acknowledged before their moment, in the other engine`, async () => {
      for (let trial = 0; trial < BACKUPS; trial += 1) {
        const { code, output } = await backplane(["backup", "--json"], folder, env);
        assert.equal(code, 0, output);
        const { place, moment } = JSON.parse(output) as { place: string; moment: string };
        const target = join(folder, `restored-${trial}`);
        await using stackOfTrial = new AsyncDisposableStack();
        const database = engine === "sqlite" ? stackOfTrial.use(await createTestDatabase()) : undefined;
        const into = {
          BACKPLANE_HOME: target,
          ...(database ? { DATABASE_URL: database.url } : {}),
          VIEWER_PROJECT: join(folder, "p"),
        };
        const restored = await backplane(["restore", place, "--json"], folder, into);
        assert.equal(restored.code, 0, restored.output);
        await compare(
          target,
          database?.url,
          load.acked.filter(({ ackedMs }) => ackedMs < Date.parse(moment)),
        );
        rmSync(target, { recursive: true });
        rmSync(place);
      }
    });

    test(`${KILLS} backups that are killed leave nothing that verifies, and the next one removes it`, async () => {
      for (let trial = 0; trial < KILLS; trial += 1) {
        const child = spawn(process.execPath, [programOf("cli"), "backup", "--json"], {
          ...{ cwd: folder, env: { ...plainEnvironment(), HOME: folder, ...env }, stdio: "ignore" },
        });
        const files = () => readdirSync(join(folder, "backups"), { withFileTypes: true }).map(({ name }) => name);
        await until(() => files().length > 0 || child.exitCode !== null, "the backup has begun");
        await sleep(Math.random() * 30);
        child.kill("SIGKILL");
        for (const name of files().filter((each) => each.endsWith(".partial"))) {
          const { code } = await backplane(["backup", "verify", join(folder, "backups", name)], folder, env);
          assert.equal(code, 1, name);
        }
        for (const name of files().filter((each) => !each.endsWith(".partial"))) rmSync(join(folder, "backups", name));
        // The row of the killed one says "running" until it was silent for a minute.
        await until(async () => (await backplane(["backup", "--json"], folder, env)).code === 0, "the next backup");
        assert.deepEqual(
          files().filter((name) => name.endsWith(".partial")),
          [],
        );
        for (const name of files()) rmSync(join(folder, "backups", name));
      }
    });

    test("the owner backs up now, and follows how far it is", async () => {
      const owner = await signInAs(platform.url);
      const call = (method: string) => owner.call(platform.url, "/api/system/backups", { method });
      assert.equal((await fetch(`${platform.url}/api/system/backups`)).status, 401);
      const started = await call("POST");
      assert.equal(started.status, 202);
      const { id } = (await started.json()) as { id: string };
      const find = async () => {
        const { backups } = (await (await call("GET")).json()) as {
          backups: { id: string; state: string; place: string }[];
        };
        return backups.find((backup) => backup.id === id);
      };
      await until(async () => (await find())?.state !== "running", "the backup has ended");
      const done = await find();
      assert.equal(done?.state, "done", JSON.stringify(done));
      const { code, output } = await backplane(["backup", "verify", done?.place ?? "", "--json"], folder, env);
      assert.equal(code, 0, output);
      assert.equal((JSON.parse(output) as { place: string }).place, done?.place);
    });

    test("what is restored runs: people sign in, packages are served, and its index is newer than any before", async () => {
      await load.stop();
      writeFileSync(join(folder, "secret"), "correct horse battery\n");
      const sealed = await backplane(["backup", "--json", "--passphrase-file", join(folder, "secret")], folder, env);
      assert.equal(sealed.code, 0, sealed.output);
      const { place } = JSON.parse(sealed.output) as { place: string };
      assert.match(place, /\.tar\.age$/);
      const revisionOf = async (url: string) =>
        ((await (await fetch(`${url}/registry/repository.json`)).json()) as { packages: { update_timestamp: number } })
          .packages;
      const before = await revisionOf(platform.url);
      const home = join(folder, "again");
      mkdirSync(home);
      const target = {
        BACKPLANE_HOME: home,
        VIEWER_PROJECT: join(folder, "p2"),
        BACKUP_PASSPHRASE_FILE: join(folder, "secret"),
      };
      const restored = await backplane(["restore", place], folder, target);
      assert.equal(restored.code, 0, restored.output);
      assert.ok(restored.output.includes(`Restored into ${home} and ${join(folder, "p2/screenshots/sp")}, as of `));
      assert.ok(
        restored.output.includes(`with: BACKPLANE_HOME=${home} VIEWER_PROJECT=${join(folder, "p2")} backplane up`),
      );
      await using again = await startPlatform(target);
      const login = await fetch(`${again.url}/auth/login`, {
        ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(OWNER) },
      });
      assert.equal(login.status, 200);
      const archive = await fetch(`${again.url}/registry/archives/org.example.p1/1.0.0.zip`);
      assert.equal(archive.status, 200);
      assert.ok((await revisionOf(again.url)).update_timestamp >= before.update_timestamp);
    });
  });
}

/** Everything that was acknowledged is there, and every row has its bytes. */
async function compare(home: string, url: string | undefined, expected: readonly Write[]): Promise<void> {
  await using snapshot = await openSnapshot({ url, home });
  const read = async (table: string) => {
    const all: Record<string, unknown>[] = [];
    for await (const { columns, rows } of snapshot.read(table)) {
      for (const row of rows) all.push(Object.fromEntries(columns.map((name, at) => [name, row[at]])));
    }
    return all;
  };
  const versions = await read("registry_versions");
  const packages = await read("registry_packages");
  const keys = await read("api_keys");
  const [workspace] = await read("panels_workspaces");
  const projects = join(home, "projects", `@${workspace?.owner_id}`, String(workspace?.folder ?? workspace?.repo_key));
  const there = {
    version: new Set(versions.map(({ identifier_key }) => identifier_key)),
    file: new Set<unknown>(readdirSync(projects)),
    key: new Set(keys.map(({ name }) => name)),
  };
  assert.ok(expected.length > 0);
  for (const { kind, name } of expected)
    assert.ok(there[kind].has(name), `${kind} ${name} was acknowledged and is missing`);
  assert.equal(packages.length, versions.length, "no package without its version");
  for (const { blob_key, sha256 } of versions) {
    const bytes = readFileSync(join(home, "archives", String(blob_key)));
    assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256, String(blob_key));
  }
  const stored = readdirSync(join(home, "archives"), { recursive: true }).filter((name) =>
    String(name).endsWith(".zip"),
  );
  assert.equal(stored.length, versions.length, "no archive without its version");
  for (const name of readdirSync(projects)) {
    assert.equal(readFileSync(join(projects, name), "utf8"), `text ${/\d+/.exec(name)?.[0]}`, name);
  }
}
