import assert from "node:assert/strict";
import { test } from "node:test";
import { removeItems } from "@backplane/kicad/edits";
import { checkDesign } from "@backplane/kicad/erc";
import { itemsOf } from "@backplane/kicad/schematic";
import type { FileAccess } from "../code-editor/open-file.ts";
import { DesignFiles, type ProjectAccess, type SheetWrite } from "./design-files.ts";
import { exampleSheet } from "./new-sheets.ts";
import { Session } from "./session.ts";

/** The files of a project, with the preconditions that the server has. */
function project(files: Record<string, string>) {
  const saved = new Map(Object.entries(files).map(([path, text]) => [path, { text, version: 1 }]));
  const etag = (path: string) => `"${saved.get(path)?.version ?? 0}"`;
  const put = (path: string, text: string) => saved.set(path, { text, version: (saved.get(path)?.version ?? 0) + 1 });
  const access = (path: string): FileAccess => ({
    read: async (known) => {
      const file = saved.get(path);
      if (!file) return { kind: "missing" };
      if (known === etag(path)) return { kind: "unchanged" };
      return { kind: "read", bytes: new TextEncoder().encode(file.text), etag: etag(path) };
    },
    write: async (bytes, expected) => {
      const isExpected =
        expected === "absent" ? !saved.has(path) : expected !== "existing" && expected.etag === etag(path);
      if (!isExpected) return { kind: "changed", etag: etag(path) };
      put(path, new TextDecoder().decode(bytes));
      return { kind: "written", etag: etag(path) };
    },
  });
  let requests = 0;
  const project: ProjectAccess = {
    file: access,
    writeTogether: async (writes) => {
      requests += 1;
      const isExpected = ({ path, expected }: SheetWrite) =>
        expected === "absent" ? !saved.has(path) : expected !== "existing" && expected.etag === etag(path);
      if (!writes.every(isExpected)) return writes.map(() => ({ kind: "changed", etag: undefined }));
      for (const { path, bytes } of writes) put(path, new TextDecoder().decode(bytes));
      return writes.map(({ path }) => ({ kind: "written", etag: etag(path) }));
    },
    remove: async (path, tag) => tag === etag(path) && saved.delete(path),
  };
  const text = (path: string) => saved.get(path)?.text ?? "";
  return { project, put, text, has: (path: string) => saved.has(path), requests: () => requests };
}

const ROOT = "a/root.kicad_sch";
const sheet = (file: string) =>
  `(sheet (at 10 10) (size 20 10) (uuid "s-${file}") (property "Sheetname" "${file}" (at 0 0 0)) (property "Sheetfile" "${file}" (at 0 0 0)))`;
const root = (more: string) => `(kicad_sch (version 20231120) (uuid "r") (paper "A4") ${more}\n)\n`;

async function open(files: Record<string, string>) {
  const disk = project(files);
  const session = new Session(new DesignFiles(ROOT, disk.project));
  await session.load(undefined);
  return { disk, session, files: session.files };
}

test("a design is its root and all sheets below, and says which are missing", async () => {
  const { session } = await open({
    [ROOT]: root(sheet("b.kicad_sch") + sheet("none.kicad_sch")),
    "a/b.kicad_sch": root(sheet("c.kicad_sch")),
    "a/c.kicad_sch": root(""),
  });
  const { design, phase } = session.state();
  assert.equal(phase, "open");
  assert.deepEqual(
    design?.sheets.map(({ file }) => file),
    [ROOT, "a/b.kicad_sch", "a/c.kicad_sch"],
  );
  assert.deepEqual(
    design?.faults.map(({ reason }) => reason),
    ["a/none.kicad_sch does not exist"],
  );
});

test("going into a sheet and back", async () => {
  const { session } = await open({ [ROOT]: root(sheet("b.kicad_sch")), "a/b.kicad_sch": root("") });
  const inner = session.sheetBehind("s-b.kicad_sch");
  session.goTo(inner?.path ?? "");
  assert.equal(session.state().sheet?.file, "a/b.kicad_sch");
  session.goTo("/r");
  assert.equal(session.state().sheet?.file, ROOT);
});

test("a file that is not a schematic is refused with the place of the fault", async () => {
  const { session } = await open({ [ROOT]: "(kicad_sch\n  (version" });
  assert.equal(session.state().phase, "refused");
  assert.match(session.state().fault ?? "", /line 2, column 3\)\.$/);
  const missing = await open({});
  assert.equal(missing.session.state().fault, "This file is not in the project.");
});

test("the example opens, with all its parts, and follows the electrical rules", async () => {
  const { session } = await open({ [ROOT]: exampleSheet() });
  assert.equal(session.state().drawn?.itemOf.size, 26);
  assert.deepEqual(checkDesign(session.state().design ?? assert.fail()), []);
});

const WIRE = (x: number) => `(wire (pts (xy 0 0) (xy ${x} 0)) (uuid "w"))`;
const OTHER = (x: number) => `(wire (pts (xy 0 50) (xy ${x} 50)) (uuid "w2"))`;
const TEXT = (text: string) => `(text "${text}" (at 0 0 0) (uuid "t"))`;

test("what somebody else saves is shown; with unsaved changes elsewhere in the file both are kept and saved", async () => {
  const { disk, session, files } = await open({ [ROOT]: root(WIRE(1) + TEXT("a")) });
  disk.put(ROOT, root(WIRE(2) + TEXT("a")));
  await files.check();
  assert.equal(files.text(ROOT), root(WIRE(2) + TEXT("a")));
  assert.equal(session.state().sheet?.schematic.text, files.text(ROOT));

  files.setText(ROOT, root(WIRE(2) + TEXT("mine")));
  disk.put(ROOT, root(WIRE(3) + TEXT("a")));
  await files.check();
  assert.equal(files.text(ROOT), root(WIRE(3) + TEXT("mine")));
  assert.deepEqual(files.conflicts(), []);
  assert.equal(await files.save(), true);
  assert.equal(disk.text(ROOT), root(WIRE(3) + TEXT("mine")));
  assert.deepEqual(files.unsaved(), []);
});

test("a save that comes too late is merged and saved", async () => {
  const { disk, files } = await open({ [ROOT]: root(WIRE(1) + TEXT("a")) });
  files.setText(ROOT, root(WIRE(1) + TEXT("mine")));
  disk.put(ROOT, root(WIRE(9) + TEXT("a")));
  assert.equal(await files.save(), true);
  assert.equal(disk.text(ROOT), root(WIRE(9) + TEXT("mine")));
});

test("the same thing changed in two ways waits for a decision, and nothing is overwritten", async () => {
  const { disk, files } = await open({ [ROOT]: root(TEXT("a")) });
  files.setText(ROOT, root(TEXT("mine")));
  disk.put(ROOT, root(TEXT("theirs")));
  assert.equal(await files.save(), false);
  assert.deepEqual(files.conflicts(), [{ path: ROOT, isGone: false }]);
  assert.equal(disk.text(ROOT), root(TEXT("theirs")));
  await files.resolve(ROOT, () => "mine");
  assert.equal(disk.text(ROOT), root(TEXT("mine")));
  files.setText(ROOT, root(TEXT("again")));
  disk.put(ROOT, root(TEXT("theirs")));
  await files.check();
  await files.resolve(ROOT, () => "theirs");
  assert.equal(files.text(ROOT), root(TEXT("theirs")));
  assert.deepEqual([files.unsaved(), files.conflicts()], [[], []]);
});

test("a broken file that somebody saves is refused, and shown again when it is mended", async () => {
  const { disk, session, files } = await open({ [ROOT]: root(TEXT("a")) });
  disk.put(ROOT, "(kicad_sch (version");
  await files.check();
  assert.equal(session.state().phase, "refused");
  disk.put(ROOT, root(TEXT("b")));
  await files.check();
  assert.equal(session.state().phase, "open");
  files.setText(ROOT, root(TEXT("mine")));
  disk.put(ROOT, "(kicad_sch (version");
  await files.check();
  assert.deepEqual(files.conflicts(), [{ path: ROOT, isGone: false }], "unsaved changes are not lost to it");
});

test("what is changed while a save is on its way is not taken for saved", async () => {
  const disk = project({ [ROOT]: root(TEXT("a")) });
  let arrive: () => void = () => {};
  const slow = (path: string): FileAccess => {
    const access = disk.project.file(path);
    const write: FileAccess["write"] = async (bytes, expected) => {
      await new Promise<void>((done) => {
        arrive = done;
      });
      return access.write(bytes, expected);
    };
    return { read: access.read, write };
  };
  const files = new DesignFiles(ROOT, { ...disk.project, file: slow });
  await files.load();
  files.setText(ROOT, root(TEXT("first")));
  const saving = files.save();
  files.setText(ROOT, root(TEXT("second")));
  arrive();
  await new Promise((next) => setImmediate(next));
  assert.deepEqual([disk.text(ROOT), files.unsaved().length], [root(TEXT("first")), 1]);
  arrive();
  assert.equal(await saving, true);
  assert.equal(disk.text(ROOT), root(TEXT("second")));
});

test("a conflict is decided item by item, and everything else of both is kept", async () => {
  const { disk, files } = await open({ [ROOT]: root(TEXT("a") + WIRE(1) + OTHER(1)) });
  files.setText(ROOT, root(TEXT("mine") + WIRE(2) + OTHER(1)));
  disk.put(ROOT, root(TEXT("theirs") + WIRE(3) + OTHER(9)));
  assert.equal(await files.save(), false);
  const { comparison } = files.compare(ROOT) ?? assert.fail();
  const what = comparison.conflicts.map(({ uuid, aspects }) => `${uuid} ${aspects}`);
  assert.deepEqual(what, ["t text", "w place"]);
  await files.resolve(ROOT, (place) => (place === 0 ? "mine" : "theirs"));
  assert.equal(disk.text(ROOT), root(TEXT("mine") + WIRE(3) + OTHER(9)));
  assert.deepEqual([files.unsaved(), files.conflicts()], [[], []]);
});

test("one's own version is saved as a copy under a name that is free", async () => {
  const { disk, files } = await open({ [ROOT]: root(TEXT("a")), "a/root-mine.kicad_sch": "" });
  files.setText(ROOT, root(TEXT("mine")));
  assert.deepEqual(await files.saveCopy(ROOT), { copy: "a/root-mine-2.kicad_sch" });
  assert.equal(disk.text("a/root-mine-2.kicad_sch"), root(TEXT("mine")));
  assert.equal(disk.text(ROOT), root(TEXT("a")));
});

test("undo takes back what was done here, and keeps what somebody else saved meanwhile", async () => {
  const { disk, session, files } = await open({ [ROOT]: root(TEXT("a") + WIRE(1) + OTHER(1)) });
  const retype = (text: string) => {
    const place = files.text(ROOT)?.indexOf("(text") ?? -1;
    const end = files.text(ROOT)?.indexOf(" (at", place) ?? -1;
    session.edit(() => [{ start: place + 6, end, text: `"${text}"` }]);
  };
  retype("a longer text");
  retype("b");
  disk.put(ROOT, root(TEXT("a") + WIRE(22) + OTHER(1)));
  await files.check();
  session.undo();
  assert.equal(files.text(ROOT), root(TEXT("a longer text") + WIRE(22) + OTHER(1)));
  disk.put(ROOT, root(TEXT("a") + WIRE(22) + OTHER(333)));
  await files.check();
  session.undo();
  assert.equal(files.text(ROOT), root(TEXT("a") + WIRE(22) + OTHER(333)));
  session.redo();
  session.redo();
  assert.equal(files.text(ROOT), root(TEXT("b") + WIRE(22) + OTHER(333)));
});

test("a change that somebody else replaced is not undone over theirs", async () => {
  const { disk, session, files } = await open({ [ROOT]: root(WIRE(1) + OTHER(1)) });
  const widen = (from: string, to: string) => {
    const start = files.text(ROOT)?.indexOf(from) ?? -1;
    session.edit(() => [{ start, end: start + from.length, text: to }]);
  };
  widen("(xy 1 0)", "(xy 5 0)");
  assert.equal(await files.save(), true);
  disk.put(ROOT, root(WIRE(7) + OTHER(1)));
  await files.check();
  assert.equal(session.state().canUndo, false);
});

test("files that were changed together are saved in one request; all or none, and again when somebody was faster", async () => {
  const SUB = "a/b.kicad_sch";
  const { disk, files } = await open({
    [ROOT]: root(sheet("b.kicad_sch") + TEXT("a") + WIRE(1)),
    [SUB]: root(TEXT("b")),
  });
  const change = (name: string) => {
    files.setText(
      ROOT,
      (files.text(ROOT) ?? "").replace(/"[^"]*" \(at 0 0 0\) \(uuid "t"/, `"${name}" (at 0 0 0) (uuid "t"`),
    );
    files.setText(SUB, root(TEXT(name)));
  };
  change("first");
  assert.equal(await files.save(), true);
  assert.deepEqual(
    [disk.text(SUB), disk.text(ROOT).includes('"first"'), disk.requests()],
    [root(TEXT("first")), true, 1],
  );

  change("second");
  disk.put(ROOT, disk.text(ROOT).replace(WIRE(1), WIRE(7)));
  assert.equal(await files.save(), true);
  assert.deepEqual(
    [disk.text(SUB), disk.text(ROOT).includes(WIRE(7)), disk.requests()],
    [root(TEXT("second")), true, 3],
  );

  change("mine");
  disk.put(SUB, root(TEXT("theirs")));
  const before = disk.text(ROOT);
  assert.equal(await files.save(), false);
  assert.deepEqual([disk.text(ROOT), files.conflicts()], [before, [{ path: SUB, isGone: false }]], "none is saved");
  await files.resolve(SUB, () => "mine");
  assert.deepEqual([disk.text(SUB), disk.text(ROOT).includes('"mine"')], [root(TEXT("mine")), true]);
  assert.deepEqual(files.unsaved(), []);
});

const BOX = { name: "New", file: "new.kicad_sch", at: { x: 50.8, y: 50.8 }, size: { x: 25.4, y: 25.4 } };
const NEW = "a/new.kicad_sch";
const settled = () => new Promise((next) => setImmediate(next));
const addTo = ({ session }: { session: Session }, name = "u") => {
  let uuids = 0;
  return session.addSheet(BOX, () => `${name}${++uuids}`);
};

test("the file of a new sheet is created in one request with the sheet that names it, and not before", async () => {
  const opened = await open({ [ROOT]: root(TEXT("a")) });
  const { disk, session, files } = opened;
  await addTo(opened);
  assert.equal(session.state().design?.sheets.length, 2);
  assert.deepEqual([disk.has(NEW), files.unsaved().map(({ path }) => path)], [false, [ROOT, NEW]]);
  await files.check();
  assert.deepEqual(files.conflicts(), []);
  assert.equal(await files.save(), true);
  assert.deepEqual([disk.requests(), disk.text(ROOT).includes("new.kicad_sch"), disk.has(NEW)], [1, true, true]);
});

test("undoing a new sheet leaves no file, saved or not; redo brings it back with what was drawn in it", async () => {
  const opened = await open({ [ROOT]: root(TEXT("a")) });
  const { disk, session, files } = opened;
  await addTo(opened);
  session.goTo(session.state().design?.sheets[1]?.path ?? "");
  const inside = () => files.text(NEW) ?? "";
  session.edit(({ text }) => [{ start: text.lastIndexOf(")"), end: text.lastIndexOf(")"), text: TEXT("inside") }]);
  session.undo();
  session.undo();
  assert.deepEqual([files.unsaved(), await files.save(), disk.has(NEW)], [[], true, false]);
  session.redo();
  session.redo();
  assert.deepEqual([inside().includes(TEXT("inside")), session.state().design?.sheets.length], [true, 2]);
  session.undo();

  assert.equal(await files.save(), true);
  const made = disk.text(NEW);
  session.undo();
  await settled();
  assert.equal(disk.has(NEW), true, "the saved root still names it");
  assert.equal(await files.save(), true);
  assert.equal(disk.has(NEW), false);
  session.redo();
  session.redo();
  assert.deepEqual([session.state().design?.sheets.length, inside().includes(TEXT("inside"))], [2, true]);
  session.undo();
  assert.equal(await files.save(), true);
  assert.equal(disk.text(NEW), made);
});

test("the file of a new sheet whose box was deleted is not created; drawn again, it is", async () => {
  const opened = await open({ [ROOT]: root(TEXT("a")) });
  const { disk, session, files } = opened;
  await addTo(opened);
  session.edit((schematic) => removeItems(schematic, itemsOf(schematic, "sheet")));
  assert.equal(await files.save(), true);
  assert.equal(disk.has(NEW), false);
  await addTo(opened, "v");
  assert.equal(await files.save(), true);
  assert.equal(disk.has(NEW), true);
});

test("a new sheet that was not saved comes back after a reload, and is created with the first save", async () => {
  const before = await open({ [ROOT]: root(TEXT("a")) });
  await addTo(before);
  const drafts = new Map(before.files.unsaved().map((draft) => [draft.path, draft]));
  const after = new Session(new DesignFiles(ROOT, before.disk.project));
  await after.load(undefined);
  await after.restoreDrafts((path) => drafts.get(path));
  assert.deepEqual([after.state().design?.sheets.length, after.state().design?.faults], [2, []]);
  assert.match(after.state().message ?? "", /are back/);
  assert.equal(await after.save(), true);
  assert.equal(before.disk.text(NEW), drafts.get(NEW)?.text);
});

test("a file that somebody else creates before a new sheet of that name is saved waits for a decision", async () => {
  const opened = await open({ [ROOT]: root(TEXT("a")) });
  const { disk, files } = opened;
  await addTo(opened);
  disk.put(NEW, root(TEXT("theirs")));
  assert.equal(await files.save(), false);
  assert.deepEqual(files.conflicts(), [{ path: NEW, isGone: false }]);
  assert.deepEqual([disk.text(NEW), disk.text(ROOT)], [root(TEXT("theirs")), root(TEXT("a"))]);
  await files.resolve(NEW, () => "theirs");
  assert.equal(await files.save(), true);
  assert.deepEqual([disk.text(NEW), files.text(NEW)], [root(TEXT("theirs")), root(TEXT("theirs"))]);
});

test("a file that a new sheet made stays when somebody has changed it, or when it was there before", async () => {
  const opened = await open({ [ROOT]: root(TEXT("a")) });
  await addTo(opened);
  assert.equal(await opened.files.save(), true);
  opened.disk.put(NEW, root(TEXT("theirs")));
  opened.session.undo();
  assert.equal(await opened.files.save(), true);
  assert.equal(opened.disk.text(NEW), root(TEXT("theirs")));

  const other = await open({ [ROOT]: root(TEXT("a")), [NEW]: root("") });
  await addTo(other);
  other.session.undo();
  await settled();
  assert.equal(other.disk.text(NEW), root(""));
});
