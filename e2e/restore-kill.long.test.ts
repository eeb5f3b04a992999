// `backplane restore` is killed at random moments. Afterwards the target is empty or whole, and the next restore says which.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readSettings, type Settings } from "@backplane/kit/settings";
import { sql } from "kysely";
import { openDatabase, openSnapshot } from "../packages/kit/src/database/index.ts";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { openBlobStore } from "../packages/registry/src/server/blobs/index.ts";
import { programOf } from "../scripts/programs.ts";
import { createTestDatabase } from "../scripts/services/index.ts";
import { startS3 } from "./cluster/s3.ts";
import { Program, plainEnvironment } from "./support/backplane.ts";
import { startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";

const KILLS = 25;
const PACKAGES = 30;
const FILES = 300;
const LOG_LINES = 20_000;

type Target = AsyncDisposable & { folder: string; env: NodeJS.ProcessEnv; settings: Settings };

const ENGINES: Record<string, () => Promise<AsyncDisposable & { env: NodeJS.ProcessEnv }>> = {
  "a SQLite file and a folder": async () => ({ env: {}, [Symbol.asyncDispose]: async () => {} }),
  "PostgreSQL and an S3 store": async () => {
    const database = await createTestDatabase();
    return { env: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  },
};

for (const [name, open] of Object.entries(ENGINES)) {
  test(`${KILLS} restores into ${name} are killed: the target is empty or whole, and the next one finishes`, async (t) => {
    await using stack = new AsyncDisposableStack();
    const s3 = name.includes("S3") ? stack.use(await startS3()) : undefined;
    const source = mkdtempSync(join(tmpdir(), "restore-kill-"));
    stack.defer(() => rmSync(source, { recursive: true, force: true }));
    const backup = await largeBackup(source);
    let count = 0;

    async function emptyTarget(): Promise<Target> {
      const engine = await open();
      const folder = mkdtempSync(join(tmpdir(), "restore-kill-"));
      const archives = s3 ? { ...s3.env, ARCHIVES_URL: `s3://packages/trial-${++count}` } : {};
      const env = {
        ...{ ...plainEnvironment(), HOME: folder, ...engine.env, ...archives },
        ...{ BACKPLANE_HOME: join(folder, "home"), VIEWER_PROJECT: join(folder, "project") },
      };
      return {
        ...{ folder, env, settings: readSettings(env, folder) },
        async [Symbol.asyncDispose]() {
          await engine[Symbol.asyncDispose]();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    }

    const begunMs = Date.now();
    let expected: Awaited<ReturnType<typeof contentOf>>;
    {
      await using target = await emptyTarget();
      const { code, output } = await restore(target, backup);
      assert.equal(code, 0, output);
      expected = await contentOf(target.settings);
      assert.equal(expected.projects.length, FILES + 1);
    }
    const wholeMs = Date.now() - begunMs;

    const seen = { nothing: 0, empty: 0, whole: 0 };
    for (let trial = 0; trial < KILLS; trial += 1) {
      await using target = await emptyTarget();
      await killRestore(target, backup, trial, wholeMs);
      if (trial % 2 === 0) {
        const { code, output } = await restore(target, "--undo", "--json");
        assert.equal(code, 0, output);
        const { left } = JSON.parse(output) as { left: keyof typeof seen };
        seen[left] += 1;
        const isEmpty = await hasNothing(target.settings);
        if (left === "empty") assert.ok(isEmpty, "what was said to be empty");
      }
      const { code, output } = await restore(target, backup);
      const isThere = code === 6 && /had been completed: everything as of|is not empty/.test(output);
      assert.ok(code === 0 || isThere, `${code} ${output}`);
      if (trial % 2 === 1) seen[code === 6 ? "whole" : /was interrupted/.test(output) ? "empty" : "nothing"] += 1;
      assert.deepEqual(await contentOf(target.settings), expected);
      for (const left of ["restore.json", ".restore"]) assert.ok(!existsSync(join(target.settings.home, left)), left);
    }
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.empty > 0, "some were killed halfway");
  });
}

/** Of a Backplane with packages, many files and many rows. */
async function largeBackup(folder: string): Promise<string> {
  const [home, project] = [join(folder, "source"), join(folder, "source-project")];
  const env = { BACKPLANE_HOME: home, VIEWER_PROJECT: project };
  {
    await using platform = await startPlatform(env);
    const { api_key: key } = JSON.parse(readFileSync(join(home, "owner.json"), "utf8"));
    const headers = { "x-api-key": key, "content-type": "application/zip" };
    for (let at = 0; at < PACKAGES; at += 1) {
      const body = new Uint8Array(sampleArchive({ identifier: `org.example.p${at}`, version: "1.0.0" }));
      const answer = await fetch(`${platform.url}/registry/packages`, { method: "POST", headers, body });
      assert.equal(answer.status, 201, await answer.text());
    }
    const note = `${platform.url}/api/workspaces/editor/owner/rover/current/files/note.txt`;
    const put = { "x-api-key": key, "content-type": "application/octet-stream", "if-none-match": "*" };
    assert.ok((await fetch(note, { method: "PUT", headers: put, body: "note" })).ok);
  }
  const [owner = ""] = readdirSync(join(home, "projects")).filter((name) => name.startsWith("@"));
  const [rover = ""] = readdirSync(join(home, "projects", owner));
  for (let at = 0; at < FILES; at += 1)
    writeFileSync(join(home, "projects", owner, rover, `${at}.bin`), Buffer.alloc(20_000, at));
  mkdirSync(join(project, "screenshots/sp"), { recursive: true });
  writeFileSync(join(project, "screenshots/sp/yaw-10x10.png"), "png");
  const database = await openDatabase<unknown>({ url: undefined, home, onLostConnection: () => {} });
  await sql`with recursive lines(at) as (select 1 union all select at + 1 from lines where at < ${LOG_LINES})
    insert into panels_log (workspace_id, at_ms, level, source, message)
    select (select id from panels_workspaces), at, 'info', 's', hex(randomblob(100)) from lines`.execute(
    database.durable,
  );
  await database.close();
  const to = join(folder, "b.tar");
  await using program = new Program(process.execPath, [programOf("cli"), "backup", "--to", to], {
    ...{ cwd: folder, env: { ...plainEnvironment(), HOME: folder, ...env } },
  });
  assert.equal(await program.ended(), 0, program.output);
  return to;
}

/** A database that is away, as on a machine that is too busy to connect, is asked again. */
async function restore({ folder, env }: Target, ...args: string[]) {
  for (let all = ""; ; ) {
    await using program = new Program(process.execPath, [programOf("cli"), "restore", ...args], { cwd: folder, env });
    const code = await program.ended();
    const isAway = code === 3;
    if (!isAway) return { code, output: all + program.output };
    // What it has said about the one before it.
    all = args.includes("--json") ? "" : all + program.output;
  }
}

/** By turns: at any moment, after it has begun to write, and as soon as the files or the tables are at their places. */
async function killRestore({ folder, env, settings }: Target, backup: string, trial: number, wholeMs: number) {
  const child = spawn(process.execPath, [programOf("cli"), "restore", backup], { cwd: folder, env, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const isOver = () => child.exitCode !== null;
  const journal = join(settings.home, "restore.json");
  const placed = join(settings.home, trial % 4 === 2 ? "owner.json" : "backplane.db");
  if (trial % 4 === 0) await sleep(Math.random() * wholeMs);
  else if (trial % 4 === 1) {
    await until(() => existsSync(journal) || isOver(), "the restore has begun");
    await sleep((Math.random() * wholeMs) / 2);
  } else {
    while (!existsSync(placed) && !isOver()) await sleep(1);
  }
  child.kill("SIGKILL");
  await ended;
}

/** Everything that a restore writes. */
async function contentOf(settings: Settings) {
  const archives = await openBlobStore(settings.archives, fetch);
  const keys = await Array.fromAsync(archives.list("archives/"), ({ key, size }) => `${key} ${size}`);
  return {
    ...{ tables: await tablesIn(settings), keys: keys.sort() },
    owner: readFileSync(join(settings.home, "owner.json"), "utf8"),
    projects: filesIn(settings.projectsFolder),
    screenshots: filesIn(settings.viewerProject),
  };
}

const digestOf = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** Every file below a folder with the digest of its bytes. */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path.slice(folder.length)} ${digestOf(readFileSync(path))}`)
    .sort();
}

/** The rows of each table. */
async function tablesIn({ databaseUrl: url, home }: Settings): Promise<string[]> {
  await using snapshot = await openSnapshot({ url, home });
  const found: string[] = [];
  for (const table of await snapshot.tables()) {
    const rows: string[] = [];
    for await (const batch of snapshot.read(table)) {
      for (const row of batch.rows) rows.push(JSON.stringify(batch.columns.map((name, at) => [name, row[at]]).sort()));
    }
    found.push(`${table} ${rows.length} ${digestOf(rows.sort().join("\n"))}`);
  }
  return found.sort();
}

async function hasNothing(settings: Settings): Promise<boolean> {
  const archives = await openBlobStore(settings.archives, fetch);
  const keys = await Array.fromAsync(archives.list("archives/"));
  const tables = settings.databaseUrl === undefined ? [] : await tablesIn(settings);
  for (const folder of [settings.projectsFolder, settings.viewerProject]) mkdirSync(folder, { recursive: true });
  const files = [settings.projectsFolder, settings.viewerProject].flatMap(filesIn);
  const isDatabaseThere = existsSync(join(settings.home, "backplane.db"));
  return keys.length + tables.length + files.length === 0 && !isDatabaseThere;
}
