// Backups, restores and moves between a folder with SQLite and PostgreSQL with an S3 store, by the commands that people use.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { programOf } from "../scripts/programs.ts";
import { createTestDatabase } from "../scripts/services/index.ts";
import { startS3 } from "./cluster/s3.ts";
import { plainEnvironment } from "./support/backplane.ts";
import { signInAs } from "./support/person.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";

const PASSPHRASE = "correct horse battery staple";
const PACKAGES = ["org.example.one", "org.example.two", "org.example.three"];

suite("a Backplane on SQLite and a folder", { concurrency: 1 }, () => {
  const stack = new AsyncDisposableStack();
  let folder: string;
  let s3: NodeJS.ProcessEnv;
  /** Of the first installation, without its ports. */
  let env: NodeJS.ProcessEnv;
  let backup: string;
  let count = 0;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "backup-stores-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const { ARCHIVES_URL: _, ...store } = stack.use(await startS3()).env;
    s3 = store;
    env = {
      ...{ BACKPLANE_HOME: join(folder, "first"), VIEWER_PROJECT: join(folder, "p") },
      BACKUP_TO: join(folder, "b"),
    };
    await using platform = await startPlatform(env);
    const { api_key: key } = JSON.parse(readFileSync(join(folder, "first", "owner.json"), "utf8"));
    const headers = { "x-api-key": key, "content-type": "application/zip" };
    for (const identifier of PACKAGES) {
      const body = new Uint8Array(sampleArchive({ identifier, version: "1.0.0" }));
      const answer = await fetch(`${platform.url}/registry/packages`, { method: "POST", headers, body });
      assert.equal(answer.status, 201, await answer.text());
    }
    const made = await run(["backup", "--json"], env);
    assert.equal(made.code, 0, made.output);
    backup = (JSON.parse(made.output) as { place: string }).place;
  });
  after(() => stack.disposeAsync());

  /** Runs a command; in a terminal it is asked for what `typed` answers. */
  async function run(args: readonly string[], more: NodeJS.ProcessEnv, typed?: Record<string, string>, input = "") {
    const command = [process.execPath, programOf("cli"), ...args];
    const quoted = command.map((word) => `'${word}'`).join(" ");
    const [program = "", ...rest] = typed ? ["script", "-qefc", `exec ${quoted}`, "/dev/null"] : command;
    const child = spawn(program, rest, { cwd: folder, env: { ...plainEnvironment(), HOME: folder, ...more } });
    let output = "";
    const answers = Object.entries(typed ?? {});
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const [question, answer] = answers[0] ?? [];
        if (question === undefined || !output.includes(question)) return;
        answers.shift();
        child.stdin.write(`${answer}\r`);
      });
    }
    if (!typed) child.stdin.end(input);
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, output };
  }

  /** An installation that was never started. */
  const newHome = (): NodeJS.ProcessEnv => {
    const name = `home-${++count}`;
    return { BACKPLANE_HOME: join(folder, name), VIEWER_PROJECT: join(folder, `${name}-p`) };
  };
  const newStore = (): NodeJS.ProcessEnv => ({ ...s3, ARCHIVES_URL: `s3://packages/store-${++count}` });

  /** People sign in there, and every package is served. */
  async function works(platform: RunningPlatform): Promise<void> {
    await signInAs(platform.url);
    for (const identifier of PACKAGES) {
      const answer = await fetch(`${platform.url}/registry/archives/${identifier}/1.0.0.zip`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(answer.status, 200, identifier);
      assert.ok(bytes.equals(Buffer.from(sampleArchive({ identifier, version: "1.0.0" }))), identifier);
    }
  }

  test("a backup restores into SQLite with an S3 store, and into PostgreSQL with an S3 store", async () => {
    await using database = await createTestDatabase();
    for (const into of [{}, { DATABASE_URL: database.url }]) {
      const target: NodeJS.ProcessEnv = { ...newHome(), ...newStore(), ...into };
      const restored = await run(["restore", backup], target);
      assert.equal(restored.code, 0, restored.output);
      assert.ok(!existsSync(join(target.BACKPLANE_HOME ?? "", "archives", "archives")), "archives are in the store");
      const again = await run(["restore", backup], { ...target, ...newHome() });
      assert.equal(again.code, 6, again.output);
      assert.match(again.output, /is not empty/);
      await using platform = await startPlatform(target);
      await works(platform);
    }
  });

  test("a store that is used is not overwritten, and one that goes away leaves nothing behind", async () => {
    const target = { ...newHome(), ...newStore() };
    assert.equal((await run(["restore", backup], target)).code, 0);
    const other = { ...newHome(), ...s3, ARCHIVES_URL: target.ARCHIVES_URL };
    const refused = await run(["restore", backup], other);
    assert.equal(refused.code, 6, refused.output);
    assert.match(refused.output, /The store of ARCHIVES_URL is not empty/);
    const away: NodeJS.ProcessEnv = { ...newHome(), ...newStore(), S3_ENDPOINT: "http://127.0.0.1:9" };
    const failed = await run(["restore", backup], away);
    assert.notEqual(failed.code, 0);
    assert.ok(!existsSync(join(away.BACKPLANE_HOME ?? "", "backplane.db")));
  });

  test("a passphrase is asked for twice, and is not shown; a wrong one restores nothing", async () => {
    const to = join(folder, "asked.tar.age");
    const typed = { "Passphrase: ": PASSPHRASE, "Again: ": PASSPHRASE };
    const made = await run(["backup", "--ask-passphrase", "--to", to], env, typed);
    assert.equal(made.code, 0, made.output);
    assert.ok(!made.output.includes(PASSPHRASE), "what is typed is not shown");
    assert.match(readFileSync(to).subarray(0, 22).toString(), /^age-encryption\.org\/v1/);
    const differ = await run(["backup", "--ask-passphrase", "--to", join(folder, "no.tar.age")], env, {
      ...typed,
      "Again: ": "something else",
    });
    assert.equal(differ.code, 2, differ.output);
    const target = newHome();
    const wrong = await run(["restore", to], target, { "Passphrase: ": "not the passphrase" });
    assert.equal(wrong.code, 1, wrong.output);
    assert.ok(!existsSync(join(target.BACKPLANE_HOME ?? "", "backplane.db")));
    const nobody = await run(["restore", to], target);
    assert.equal(nobody.code, 1, "nobody is there to ask");
    assert.match(nobody.output, /BACKUP_PASSPHRASE_FILE/);
    const restored = await run(["restore", to], target, { "Passphrase: ": PASSPHRASE });
    assert.equal(restored.code, 0, restored.output);
    assert.ok(!restored.output.includes(PASSPHRASE));
  });

  test("a passphrase comes from the file that the option or the setting names; the store has no readable byte", async () => {
    const file = join(folder, "passphrase");
    writeFileSync(file, `${PASSPHRASE}\nmore lines do not count\n`);
    const to = "s3://packages/sealed";
    const byOption = await run(["backup", "--json", "--to", to, "--passphrase-file", file], { ...env, ...s3 });
    const bySetting = await run(["backup", "--json", "--to", to], { ...env, ...s3, BACKUP_PASSPHRASE_FILE: file });
    for (const { code, output } of [byOption, bySetting]) {
      assert.equal(code, 0, output);
      const { place, encrypted } = JSON.parse(output) as { place: string; encrypted: boolean };
      assert.ok(encrypted && place.endsWith(".tar.age"));
      const sealed = { ...s3, BACKUP_PASSPHRASE_FILE: file };
      assert.equal((await run(["backup", "verify", place], { ...env, ...sealed })).code, 0);
      const restored = await run(["restore", place], { ...newHome(), ...sealed });
      assert.equal(restored.code, 0, restored.output);
    }
    writeFileSync(file, "short\n");
    const short = await run(["backup", "--to", to, "--passphrase-file", file], { ...env, ...s3 });
    assert.equal(short.code, 1);
    assert.match(short.output, /at least 8 characters/);
  });

  test("scheduled backups go to the store, and only the newest BACKUP_KEEP stay", async () => {
    const scheduled = { ...env, ...s3, BACKUP_TO: "s3://packages/nightly", BACKUP_KEEP: "2" };
    const list = async () => {
      const { output } = await run(["backup", "list", "--json"], scheduled);
      return (JSON.parse(output) as { backups: { place: string }[] }).backups.map(({ place }) => place);
    };
    const places: string[] = [];
    for (let made = 0; made < 2; made += 1) {
      const { code, output } = await run(["backup", "--json"], scheduled);
      assert.equal(code, 0, output);
      places.push((JSON.parse(output) as { place: string }).place);
    }
    assert.deepEqual((await list()).toSorted(), places.toSorted());
    await using platform = await startPlatform({ ...scheduled, BACKUP_EVERY: "1h" });
    const owner = await signInAs(platform.url);
    type Listed = { backups: { state: string; place: string }[]; next?: string };
    const read = async () => (await (await owner.call(platform.url, "/api/system/backups")).json()) as Listed;
    // The two by hand count for this hour.
    await until(async () => (await read()).next !== undefined, "the next one is planned");
    const started = await owner.call(platform.url, "/api/system/backups", { method: "POST" });
    assert.equal(started.status, 202);
    await until(async () => (await read()).backups[0]?.state === "done", "it is done");
    const newest = (await read()).backups[0]?.place ?? "";
    const kept = await list();
    assert.equal(kept.length, 2);
    assert.ok(kept.includes(newest));
  });

  test("everything moves to PostgreSQL and an S3 store, and back", async () => {
    await using database = await createTestDatabase();
    const store = newStore();
    const running = await startPlatform(env);
    const refused = await run(["move", "--to", "-"], env, undefined, `${database.url}\n`);
    assert.notEqual(refused.code, 0, "while it runs nothing is moved");
    await running[Symbol.asyncDispose]();

    const there = ["move", "--to", "-", "--archives-to", store.ARCHIVES_URL ?? ""];
    const moved = await run(there, { ...env, ...s3 }, undefined, `${database.url}\n`);
    assert.equal(moved.code, 0, moved.output);
    assert.ok(!moved.output.includes(new URL(database.url).password || "\0"), "no password is printed");
    assert.match(moved.output, /Now set ARCHIVES_URL[\s\S]*Now set DATABASE_URL/);
    const again = await run(there, { ...env, ...s3 }, undefined, `${database.url}\n`);
    assert.equal(again.code, 6, "nothing is overwritten");
    const home = env.BACKPLANE_HOME ?? "";
    renameSync(join(home, "backplane.db"), join(folder, "old.db"));
    renameSync(join(home, "archives"), join(folder, "old-archives"));
    const cluster = { ...env, ...store, DATABASE_URL: database.url };
    {
      await using platform = await startPlatform(cluster);
      await works(platform);
    }
    const back = await run(["move", "--to", "sqlite:", "--archives-to", "folder:", "--json"], cluster);
    const isRunningStill = back.code === 6 && /wait 15 seconds/.test(back.output);
    if (isRunningStill) {
      await until(async () => {
        const { code, output } = await run(["move", "--to", "sqlite:", "--archives-to", "folder:"], cluster);
        if (code !== 6) assert.equal(code, 0, output);
        return code === 0;
      }, "no platform uses it");
    } else assert.equal(back.code, 0, back.output);
    await using platform = await startPlatform(env);
    await works(platform);
    const login = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(OWNER) };
    assert.equal((await fetch(`${platform.url}/auth/login`, login)).status, 200);
  });
});
