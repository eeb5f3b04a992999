import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { OAuthError } from "../errors.ts";
import { scratchFolder } from "../testing/scratch.ts";
import type { TokenRecord } from "./token-file.ts";
import { openTokenStore } from "./token-store.ts";

const RECORD = { accessToken: "at", refreshToken: "rt", expiresAt: 1_900_000_000_000 };

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("Per-user token record: accessToken, refreshToken, expiresAt (epoch milliseconds), stored per user", async () => {
  using scratch = scratchFolder();
  const folder = join(scratch.path, "home", "tokens");
  const store = openTokenStore({ folder });
  assert.equal(await store.read("google", "ada"), undefined);
  await store.write("google", "ada", RECORD);
  await store.write("google", "bob", { ...RECORD, accessToken: "bobs" });
  assert.deepEqual(await store.read("google", "ada"), RECORD);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "google.ada.json"), "utf8")), RECORD);
  assert.deepEqual(readdirSync(folder).sort(), ["google.ada.json", "google.bob.json"]);
});

test("only the owner can read the folder and its files, even if others could before", async () => {
  using scratch = scratchFolder();
  const folder = join(scratch.path, "tokens");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const path = join(folder, "google.ada.json");
  writeFileSync(path, "{}", { mode: 0o644 });
  await openTokenStore({ folder }).write("google", "ada", RECORD);
  assert.deepEqual([modeOf(folder), modeOf(path)], ["700", "600"]);
});

test("unknown fields are kept, and an empty refresh token counts as missing", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", { ...RECORD, scope: "a b", fault: "a field of theirs" });
  assert.deepEqual(await store.read("google", "ada"), { ...RECORD, scope: "a b", fault: "a field of theirs" });
  for (const refreshToken of [null, ""]) {
    writeFileSync(join(scratch.path, "google.ada.json"), JSON.stringify({ ...RECORD, refreshToken }));
    assert.deepEqual(await store.read("google", "ada"), { accessToken: "at", expiresAt: RECORD.expiresAt });
  }
});

test("a file without tokens is named and left unchanged, and its content is not repeated", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  const path = join(scratch.path, "google.ada.json");
  const contents: [string, string][] = [
    ["", "it"],
    ['{"accessToken": "hunter2"', "it"],
    ['["hunter2"]', "it"],
    ['{"accessToken": 7}', "accessToken"],
    ['{"accessToken": "hunter2", "expiresAt": "2030"}', "expiresAt"],
    ['{"accessToken": "hunter2", "expiresAt": 1, "refreshToken": {}}', "refreshToken"],
  ];
  for (const [content, field] of contents) {
    writeFileSync(path, content);
    const change = () => Promise.resolve(RECORD);
    for (const attempt of [() => store.read("google", "ada"), () => store.update("google", "ada", change)]) {
      await assert.rejects(attempt(), (error: unknown) => {
        assert.ok(error instanceof OAuthError, String(error));
        assert.deepEqual([error.code, error.path, error.field], ["token-file-unreadable", path, field]);
        assert.match(error.message, /Remove it and connect again\.$/);
        assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/);
        return true;
      });
    }
    assert.equal(readFileSync(path, "utf8"), content);
  }
  await store.write("google", "ada", RECORD);
  assert.deepEqual(await store.read("google", "ada"), RECORD);
});

test("a file that cannot be read is named with the reason", async () => {
  using scratch = scratchFolder();
  mkdirSync(join(scratch.path, "google.ada.json"));
  const store = openTokenStore({ folder: scratch.path });
  await assert.rejects(
    store.read("google", "ada"),
    /google\.ada\.json cannot be read \(EISDIR\)\. .* connect again\.$/,
  );
});

test("an ID token is not stored", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", { ...RECORD, idToken: "jwt" });
  assert.deepEqual(await store.read("google", "ada"), RECORD);
  const changed = await store.update("google", "ada", async () => ({ ...RECORD, expiresAt: 1, idToken: "jwt" }));
  assert.deepEqual(changed, { ...RECORD, expiresAt: 1 });
  assert.deepEqual(await store.read("google", "ada"), changed);
});

test("the list has the path and expiry of every record, and no token", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: join(scratch.path, "tokens") });
  assert.deepEqual(await store.list(), []);
  const long = "Ada ".repeat(30);
  await store.write("google", "ada", RECORD);
  await store.write("Parts 2.0", long, { accessToken: "at", expiresAt: 5 });
  writeFileSync(store.pathOf("broken", "ada"), "{");
  for (const name of ["google.ada.json.1234.tmp", "google.bob.json.lock", "Notes.txt", "%.ada.json"]) {
    writeFileSync(join(store.folder, name), "{}");
  }
  const entry = (provider: string, user: string, expiresAt: number | undefined, refreshable: boolean) => ({
    provider,
    user,
    path: store.pathOf(provider, user),
    expiresAt,
    refreshable,
  });
  assert.deepEqual(await store.list(), [
    entry("Parts 2.0", long, 5, false),
    entry("broken", "ada", undefined, false),
    entry("google", "ada", RECORD.expiresAt, true),
  ]);
});

test("a record cannot pass itself off as another's in the list", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", { ...RECORD, provider: "bank", user: "bob" });
  const long = "x".repeat(90);
  for (const liar of [{}, { provider: "bank", user: "bob" }, { provider: "\ud800", user: "" }]) {
    writeFileSync(store.pathOf("google", long), JSON.stringify({ ...RECORD, ...liar }));
    assert.deepEqual(
      (await store.list()).map(({ provider, user }) => [provider, user]),
      [["google", "ada"]],
    );
  }
});

test("removing returns whether there was a record", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", RECORD);
  assert.deepEqual([await store.remove("google", "ada"), await store.remove("google", "ada")], [true, false]);
});

test("a folder that cannot be written is named with the reason", async () => {
  using scratch = scratchFolder();
  const folder = join(scratch.path, "tokens");
  writeFileSync(folder, "a file where the folder should be");
  const store = openTokenStore({ folder });
  const path = store.pathOf("google", "ada");
  const attempts = [
    () => store.write("google", "ada", RECORD),
    () => store.remove("google", "ada"),
    () => store.update("google", "ada", async () => RECORD),
  ];
  for (const attempt of attempts) {
    await assert.rejects(attempt(), (error: unknown) => {
      assert.ok(error instanceof OAuthError, String(error));
      assert.deepEqual([error.code, error.path], ["token-file-unwritable", path]);
      return /cannot be written \(EEXIST\)\. .*try again\.$/.test(error.message);
    });
  }
  await assert.rejects(store.list(), { code: "token-file-unreadable", path: folder });
});

test("a file that cannot be created, or its lock, is named with the reason", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  const [file, lock] = [store.pathOf("google", "ada"), `${store.pathOf("google", "bob")}.lock`];
  for (const path of [file, lock]) mkdirSync(path);
  await assert.rejects(store.remove("google", "ada"), { code: "token-file-unwritable", path: file });
  await assert.rejects(store.write("google", "ada", RECORD), { code: "token-file-unwritable", path: file });
  await assert.rejects(store.write("google", "bob", RECORD), { code: "token-file-unwritable", path: lock });
  assert.deepEqual(
    readdirSync(scratch.path).sort(),
    [file, lock].map((path) => basename(path)),
  );
});

test("what a change throws is passed on unchanged", async () => {
  using scratch = scratchFolder();
  const theirs = Object.assign(new Error("theirs"), { code: "EACCES" });
  const changing = openTokenStore({ folder: scratch.path }).update("google", "ada", () => Promise.reject(theirs));
  await assert.rejects(changing, (error: unknown) => error === theirs);
});

test("an invalid record is not written", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", RECORD);
  for (const wrong of [{}, { accessToken: "x" }, { accessToken: "x", expiresAt: Number.NaN }, undefined]) {
    await assert.rejects(store.write("google", "ada", wrong as TokenRecord), OAuthError);
    assert.deepEqual(await store.read("google", "ada"), RECORD);
  }
});

test("the next write or removal cleans up after a process that was killed while writing", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  const leave = () => writeFileSync(join(scratch.path, "google.ada.json.1234.tmp"), "half a tok");
  writeFileSync(join(scratch.path, "google.bob.json.1234.tmp"), "of another user");
  leave();
  await store.write("google", "ada", RECORD);
  assert.deepEqual(readdirSync(scratch.path).sort(), ["google.ada.json", "google.bob.json.1234.tmp"]);
  leave();
  await store.remove("google", "ada");
  await store.remove("google", "ada");
  assert.deepEqual(readdirSync(scratch.path), ["google.bob.json.1234.tmp"]);
});

test("a change that fails or changes nothing writes nothing", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", RECORD);
  const path = join(scratch.path, "google.ada.json");
  const before = statSync(path, { bigint: true });
  await assert.rejects(
    store.update("google", "ada", () => Promise.reject(new Error("change"))),
    /change/,
  );
  assert.deepEqual(await store.update("google", "ada", async (current) => current), RECORD);
  assert.deepEqual(await store.update("google", "ada", async () => undefined), RECORD);
  assert.equal(statSync(path, { bigint: true }).ino, before.ino);
  assert.equal(statSync(path, { bigint: true }).mtimeNs, before.mtimeNs);
});

test("what a program without the lock wrote in the meantime is newer, and stays", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", RECORD);
  const theirs = { ...RECORD, refreshToken: "theirs" };
  const stored = await store.update("google", "ada", async () => {
    writeFileSync(join(scratch.path, "google.ada.json"), JSON.stringify(theirs));
    return { ...RECORD, refreshToken: "ours" };
  });
  assert.deepEqual(stored, theirs);
  assert.deepEqual(await store.read("google", "ada"), theirs);
});

test("a reader sees a complete record each time during a hundred writes", async () => {
  using scratch = scratchFolder();
  const store = openTokenStore({ folder: scratch.path });
  await store.write("google", "ada", RECORD);
  let isWriting = true;
  const writing = (async () => {
    for (let count = 0; count < 100; count += 1) await store.write("google", "ada", { ...RECORD, expiresAt: count });
    isWriting = false;
  })();
  let reads = 0;
  while (isWriting) {
    assert.equal((await store.read("google", "ada"))?.accessToken, "at");
    reads += 1;
  }
  await writing;
  assert.ok(reads > 10);
});

test("hostile names stay in the folder", async () => {
  using scratch = scratchFolder();
  const folder = join(scratch.path, "tokens");
  const store = openTokenStore({ folder });
  for (const user of ["../../escape", "/etc/passwd", "a\0b", "..", "CON", "x".repeat(5_000)]) {
    await store.write("../..", user, { ...RECORD, accessToken: user });
    assert.equal((await store.read("../..", user))?.accessToken, user);
  }
  assert.deepEqual(readdirSync(scratch.path), ["tokens"]);
  assert.equal(readdirSync(folder).length, 6);
});

test("the default folder is .backplane/tokens in the user's home directory", async (t) => {
  using scratch = scratchFolder();
  const { HOME } = process.env;
  t.after(() => {
    process.env.HOME = HOME;
  });
  process.env.HOME = scratch.path;
  await openTokenStore().write("google", "ada", RECORD);
  assert.equal(modeOf(join(scratch.path, ".backplane", "tokens", "google.ada.json")), "600");
});
