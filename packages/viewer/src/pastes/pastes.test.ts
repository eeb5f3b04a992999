import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { ViewerEvent } from "@backplane/contract/viewer";
import {
  assertPairs,
  fakeImages,
  NOW_MS,
  newProject,
  newUpload,
  open,
  pairFiles,
  paste,
} from "./pastes-under-test.suite.ts";
import { HeldElsewhere, pastesFolder } from "./storage/folder.ts";

const NOTHING = { text: null, suggestions: [], name: null, by: null };

describe("saving", () => {
  it("before naming the two files are sp-<timestamp>-<width>x<height>.png and …-original.png", async (t) => {
    const project = await newProject(t);
    const pastes = await open(project);
    const events: ViewerEvent[] = [];
    pastes.onChange((event) => events.push(event));
    const saved = await paste(pastes, "one", { title: "Build", instance: "left" });
    assert.deepEqual(await pairFiles(project), [
      "sp-20261115-191354-123-200x100.png",
      "sp-20261115-191354-123-400x200-original.png",
    ]);
    assert.match(saved.id, /^20261115-191354-123-[a-z0-9]{6}$/);
    assert.deepEqual(
      [saved.status, saved.namedBy, saved.title, saved.instance, saved.pastedAt],
      ["naming", null, "Build", "left", "2026-11-15T19:13:54.123Z"],
    );
    assert.deepEqual(events, [{ type: "paste", paste: saved }]);
    assert.deepEqual(await readdir(pastes.incomingFolder), []);
    assert.equal(await readFile(await pastes.fileOf(saved.id, "original"), "utf8"), "one");
    assert.deepEqual(pastes.unnamed(), [saved]);
  });

  it("a refused image leaves no files", async (t) => {
    const project = await newProject(t);
    const refusing = { ...fakeImages(), prepare: () => Promise.reject(new Error("no image")) };
    const pastes = await open(project, { images: refusing });
    await assert.rejects(paste(pastes, "one"), /no image/);
    assert.deepEqual([await pairFiles(project), await readdir(pastes.incomingFolder)], [[], []]);
  });
});

describe("naming", () => {
  it("a person > the configured model > the MCP client's model > the text; never the other way", async (t) => {
    const pastes = await open(await newProject(t));
    const { id } = await paste(pastes, "one");
    for (const [by, name] of [
      ["text", "by-text"],
      ["client", "by-client"],
      ["model", "by-model"],
      ["you", "by-you"],
    ] as const) {
      assert.deepEqual(pick(await pastes.rename(id, name, by)), { name, namedBy: by });
      for (const lesser of (["text", "client", "model"] as const).slice(
        0,
        ["text", "client", "model", "you"].indexOf(by),
      )) {
        assert.deepEqual(pick(await pastes.rename(id, "lesser", lesser)), { name, namedBy: by });
      }
    }
    const finished = await pastes.finishNaming(id, {
      text: "Hi",
      suggestions: ["a", "../b", "a"],
      name: "x-y",
      by: "model",
    });
    assert.deepEqual(pick(finished), { name: "by-you", namedBy: "you" });
    assert.deepEqual([finished.status, finished.namedAfterMs, finished.suggestions], ["named", 0, ["a"]]);
    assert.equal((await pastes.read(id))?.text, "Hi");
    assert.equal(pick(await pastes.rename(id, "again", "you")).name, "again");
  });

  it("the same name again, with or without its number, changes nothing; a number that is no longer needed is dropped", async (t) => {
    const pastes = await open(await newProject(t));
    const [one, two] = [await paste(pastes, "one"), await paste(pastes, "two")];
    await pastes.rename(one.id, "login", "you");
    assert.equal((await pastes.rename(two.id, "login", "you")).name, "login-2");
    const events: ViewerEvent[] = [];
    pastes.onChange((event) => events.push(event));
    assert.equal((await pastes.rename(two.id, "Login", "you")).name, "login-2");
    assert.equal((await pastes.rename(two.id, "login-2", "you")).name, "login-2");
    assert.deepEqual(events, []);
    await pastes.rename(one.id, "other", "you");
    assert.equal((await pastes.rename(two.id, "login", "you")).name, "login");
  });

  it("ends even if no text was found, and a bad name is refused", async (t) => {
    const pastes = await open(await newProject(t));
    const { id, name } = await paste(pastes, "one");
    assert.deepEqual(pick(await pastes.finishNaming(id, NOTHING)), { name, namedBy: null });
    assert.deepEqual(pastes.unnamed(), []);
    await assert.rejects(pastes.rename(id, "../up", "you"), { code: "invalid-input" });
    await assert.rejects(pastes.rename("20261115-191354-123-zzzzzz", "a", "you"), { code: "paste-unknown" });
    assert.equal(pastes.get(id)?.name, name);
  });
});

const pick = ({ name, namedBy }: { name: string; namedBy: unknown }) => ({ name, namedBy });

describe("removing", () => {
  it("a screenshot whose files the user deletes leaves the list once that is noticed; with one file left it stays", async (t) => {
    const project = await newProject(t);
    const pastes = await open(project);
    const [both, one] = [await paste(pastes, "both"), await paste(pastes, "one")];
    const events: ViewerEvent[] = [];
    pastes.onChange((event) => events.push(event));
    await unlink(join(project, both.optimized.path));
    await unlink(join(project, both.original.path));
    await unlink(join(project, one.original.path));
    await assert.rejects(pastes.fileOf(both.id, "optimized"), { code: "paste-gone" });
    await assert.rejects(pastes.fileOf(one.id, "original"), { code: "paste-gone" });
    assert.deepEqual(events, [{ type: "removed", id: both.id }]);
    assert.deepEqual(
      pastes.list({ limit: 9 }).pastes.map(({ id }) => id),
      [one.id],
    );
    await pastes.close();
  });

  it("removes both files; the last 20 can be restored", async (t) => {
    const project = await newProject(t);
    const pastes = await open(project);
    const ids: string[] = [];
    for (let number = 0; number < 21; number += 1) ids.push((await paste(pastes, `picture ${number}`)).id);
    const events: ViewerEvent[] = [];
    pastes.onChange((event) => events.push(event));
    for (const id of ids) await pastes.remove(id);
    assert.deepEqual(
      events,
      ids.map((id) => ({ type: "removed", id })),
    );
    assert.deepEqual(await pairFiles(project), []);
    await assert.rejects(pastes.restore(ids[0] ?? ""), { code: "paste-unknown" });
    for (const id of ids.slice(1)) await pastes.restore(id);
    assert.equal((await assertPairs(project, pastes)).size, 20);
    await assert.rejects(pastes.remove("20261115-191354-123-zzzzzz"), { code: "paste-unknown" });
  });

  it("can be undone after a restart, for an hour", async (t) => {
    const project = await newProject(t);
    let pastes = await open(project);
    const { id } = await paste(pastes, "one");
    await pastes.remove(id);
    await pastes.close();
    pastes = await open(project, { now: () => NOW_MS + 3_600_000 });
    await pastes.restore(id);
    await pastes.remove(id);
    await pastes.close();
    pastes = await open(project, { now: () => NOW_MS + 2 * 3_600_000 + 1 });
    await assert.rejects(pastes.restore(id), { code: "paste-unknown" });
    assert.deepEqual(await readdir(pastesFolder(project).removed), []);
  });
});

describe("the list", () => {
  it("is newest first, page by page", async (t) => {
    const pastes = await open(await newProject(t));
    for (const number of [2, 0, 4, 1, 3]) await paste(pastes, `${number}`, { receivedAtMs: NOW_MS + number });
    const all = pastes.list({ limit: 10 });
    assert.equal(all.more, false);
    assert.deepEqual(
      all.pastes.map(({ pastedAt }) => Number(pastedAt.slice(-4, -1)) - 123),
      [4, 3, 2, 1, 0],
    );
    const first = pastes.list({ limit: 2 });
    const second = pastes.list({ limit: 3, before: first.pastes.at(-1)?.id });
    assert.deepEqual([first.more, second.more], [true, false]);
    assert.deepEqual([...first.pastes, ...second.pastes], all.pastes);
    assert.deepEqual(pastes.newest(), all.pastes[0]);
  });

  it("a listener that throws does not affect others", async (t) => {
    const pastes = await open(await newProject(t));
    let heard = 0;
    pastes.onChange(() => assert.fail("on purpose"));
    const end = pastes.onChange(() => (heard += 1));
    await paste(pastes, "one");
    end();
    await paste(pastes, "two");
    assert.equal(heard, 1);
  });
});

it("search: all words must occur, case does not matter, names rank before texts, newest first", async (t) => {
  const pastes = await open(await newProject(t));
  const texts = [
    "Connection\nrefused by host",
    "nothing",
    `${"long ".repeat(100)}connection was refused${" long".repeat(100)}`,
  ];
  const names = ["a-terminal", "connection-refused", "b-terminal"];
  for (const [place, text] of texts.entries()) {
    const { id } = await paste(pastes, text, { receivedAtMs: NOW_MS + place, title: place === 0 ? "Deploy" : null });
    await pastes.finishNaming(id, { text, suggestions: [], name: names[place] ?? "", by: "text" });
  }
  const found = async (query: string, limit = 10) =>
    (await pastes.search(query, limit)).map(({ paste: { name } }) => name);
  assert.deepEqual(await found("REFUSED connection"), ["connection-refused", "b-terminal", "a-terminal"]);
  assert.deepEqual(await found("refused", 1), ["connection-refused"]);
  assert.deepEqual(await found("deploy host"), ["a-terminal"]);
  assert.deepEqual(await found("connection absent"), []);
  assert.deepEqual(await found("   "), []);
  const [, long, short] = await pastes.search("connection", 10);
  assert.equal(short?.excerpt, "Connection refused by host");
  assert.match(long?.excerpt ?? "", /^….*connection was refused.*…$/);
  assert.ok((long?.excerpt?.length ?? 0) <= 122);
  assert.equal((await pastes.search("connection-refused", 1))[0]?.excerpt, null);
});

it("an excerpt begins and ends with a whole word, unless the text has no spaces there", async (t) => {
  const pastes = await open(await newProject(t));
  const { id } = await paste(pastes, "one");
  for (const hidden of ["[hidden] ".repeat(40), "[hidden]".repeat(40)]) {
    const text = `${hidden}torque${hidden.trim()}`;
    await pastes.finishNaming(id, { text, suggestions: [], name: "one", by: "text" });
    const [hit] = await pastes.search("torque", 1);
    const excerpt = hit?.excerpt ?? "";
    assert.match(excerpt, /^….*torque.*…$/);
    assert.ok(excerpt.length <= 122);
    if (hidden.includes(" ")) assert.match(excerpt, /^…(\[hidden\] )+torque(\[hidden\] ?)+…$/);
  }
});

it("squeezing replaces the optimized file by a smaller one, unless the user has changed it", async (t) => {
  const project = await newProject(t);
  const pastes = await open(project);
  const [one, two] = [await paste(pastes, "one"), await paste(pastes, "two")];
  await writeFile(await pastes.fileOf(two.id, "optimized"), "drawn on");
  const squeezed = Promise.withResolvers<ViewerEvent>();
  pastes.onChange((event) => event.type === "paste" && event.paste.optimized.bytes === 12 && squeezed.resolve(event));
  await pastes.finishNaming(two.id, NOTHING);
  await pastes.finishNaming(one.id, NOTHING);
  await squeezed.promise;
  await pastes.close();
  assert.equal(await readFile(join(project, one.optimized.path), "utf8"), "squeezed:one");
  assert.equal(await readFile(join(project, two.optimized.path), "utf8"), "drawn on");
});

describe("a start", () => {
  it("forgets what the user deleted, sets damaged records aside, and deletes unfinished uploads", async (t) => {
    const project = await newProject(t);
    const folder = pastesFolder(project);
    let pastes = await open(project);
    const [gone, half, damaged, odd] = await Promise.all(["a", "b", "c", "d"].map((content) => paste(pastes, content)));
    assert.ok(gone && half && damaged && odd);
    await newUpload(pastes, "killed while it came in");
    await pastes.close();
    for (const { path } of [gone.optimized, gone.original, half.original]) await unlink(join(project, path));
    await writeFile(join(folder.records, `${damaged.id}.json`), '{"version":1,"id":');
    const record = JSON.parse(await readFile(join(folder.records, `${odd.id}.json`), "utf8"));
    await writeFile(join(folder.records, `${odd.id}.json`), JSON.stringify({ ...record, name: "../../up" }));
    const said: unknown[] = [];
    pastes = await open(project, { log: { warn: (...line: unknown[]) => said.push(line) } });
    assert.deepEqual(
      pastes.list({ limit: 9 }).pastes.map(({ id }) => id),
      [half.id],
    );
    await assert.rejects(pastes.fileOf(half.id, "original"), { code: "paste-gone" });
    assert.equal((await pastes.rename(half.id, "still-there", "you")).name, "still-there");
    const names = await readdir(folder.records);
    assert.ok(names.includes(`${damaged.id}.damaged`) && names.includes(`${odd.id}.damaged`));
    assert.ok(!names.includes(`${gone.id}.json`));
    assert.equal(said.length, 2);
    assert.deepEqual(await readdir(folder.incoming), []);
  });

  it("a record with an impossible time counts as damaged, and does not affect the start or other records", async (t) => {
    const project = await newProject(t);
    let pastes = await open(project);
    const [good, odd] = [await paste(pastes, "a"), await paste(pastes, "b")];
    await pastes.close();
    const path = join(pastesFolder(project).records, `${odd.id}.json`);
    const record = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...record, receivedAtMs: 9e15 }));
    pastes = await open(project);
    assert.deepEqual(
      pastes.list({ limit: 9 }).pastes.map(({ id }) => id),
      [good.id],
    );
    assert.equal(pastes.unnamed().length, 1);
    await pastes.close();
  });

  it("one process holds a project at a time", async (t) => {
    const project = await newProject(t);
    const pastes = await open(project);
    await assert.rejects(open(project), (error) => error instanceof HeldElsewhere && error.pid === process.pid);
    await pastes.close();
    await (await open(project)).close();
    await assert.rejects(pastes.rename("20261115-191354-123-zzzzzz", "a", "you"), { code: "not-ready" });
  });

  it("creates the folder of records private to its owner, and ignored by git", async (t) => {
    const project = await newProject(t);
    await (await open(project)).close();
    const { records } = pastesFolder(project);
    assert.equal((await stat(records)).mode & 0o777, 0o700);
    assert.equal(await readFile(join(records, ".gitignore"), "utf8"), "*\n");
  });

  it("a folder that leads out of the project, or is not a folder, is refused", async (t) => {
    const [project, elsewhere] = [await newProject(t), await newProject(t)];
    const refused = (): Promise<void> => assert.rejects(open(project), { code: "folder-refused" });
    await symlink(elsewhere, join(project, "screenshots"));
    await refused();
    await rm(join(project, "screenshots"));
    await mkdir(join(project, "screenshots/sp"), { recursive: true });
    await symlink(elsewhere, join(project, "screenshots/sp/.pastes"));
    await refused();
    await rm(join(project, "screenshots/sp"), { recursive: true });
    await writeFile(join(project, "screenshots/sp"), "a file");
    await refused();
    assert.deepEqual(await readdir(elsewhere), []);
    await assert.rejects(open(join(project, "nowhere")), {
      code: "folder-refused",
      message: /nowhere does not exist\. Create it/,
    });
    await assert.rejects(open(join(project, "screenshots/sp")), { code: "folder-refused", message: /is not a folder/ });
  });

  it("a link in the place of a new file is not followed", async (t) => {
    const project = await newProject(t);
    const pastes = await open(project);
    const { id } = await paste(pastes, "one");
    await symlink(join(project, "nowhere"), join(project, "screenshots/sp/login-200x100.png"));
    assert.equal((await pastes.rename(id, "login", "you")).name, "login-2");
    await assertPairs(project, pastes, ["login-200x100.png"]);
    await assert.rejects(stat(join(project, "nowhere")), { code: "ENOENT" });
  });
});
