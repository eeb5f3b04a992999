import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type EditedSchematic,
  PANELS_LIMITS,
  type SavedSchematics,
  type SaveSchematics,
  type SchematicEdit,
  type SchematicPicture,
  type SchematicView,
} from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import sharp from "sharp";
import { openFilesUnderTest } from "../files/files-under-test.suite.ts";
import type { LibraryPackages } from "../services.ts";

const EMPTY =
  '(kicad_sch\n\t(version 20250114)\n\t(generator "eeschema")\n\t(uuid "root")\n\t(paper "A4")\n\t(lib_symbols)\n)\n';
const LIBRARY = `(kicad_symbol_lib (version 20241209) (generator "x")
  (symbol "R" (property "Reference" "R" (at 0 0 0)) (property "Value" "R" (at 0 0 0))
    (symbol "R_1_1"
      (pin passive line (at 0 3.81 270) (length 1.27) (name "~") (number "1"))
      (pin passive line (at 0 -3.81 90) (length 1.27) (name "~") (number "2")))))`;

/** A registry with one package, which ann may see. */
const libraryPackages: LibraryPackages = {
  async symbols(userId, identifier, library) {
    if (`${userId} ${identifier} ${library}` === "ann com.example.parts Basics") return LIBRARY;
    throw new Problem("package-unknown", { detail: `${identifier} has no library ${library}. It has Basics.` });
  },
};

// One server for all tests, because its threads take long to start; each test has its own project in it.
const opened = new AsyncDisposableStack();
let server: Awaited<ReturnType<typeof openFilesUnderTest>>;
let projectsMade = 0;
before(async () => {
  const t = { after: opened.defer.bind(opened) };
  server = await openFilesUnderTest(t, { instances: 2, libraryPackages });
});
after(() => opened.disposeAsync());

function open() {
  const { projects, addresses, notes } = server;
  notes.length = 0;
  projectsMade += 1;
  const project = `rover-${projectsMade}`;
  const folder = join(projects, "@id-ann", project);
  mkdirSync(folder);
  writeFileSync(join(folder, "a.kicad_sch"), EMPTY);
  writeFileSync(join(folder, "parts.kicad_sym"), LIBRARY);
  const url = (path: string, instance = 0) =>
    `${addresses[instance]}/api/workspaces/editor/ann/${project}/current/schematics/${path}`;
  const headers = { authorization: "ann", "content-type": "application/json" };
  const read = async (path = "a.kicad_sch") => (await (await fetch(url(path), { headers })).json()) as SchematicView;
  const send = (
    etag: string,
    edits: readonly SchematicEdit[],
    { path = "a.kicad_sch", instance = 0, root = undefined as string | undefined } = {},
  ) => fetch(url(path, instance), { method: "POST", headers, body: JSON.stringify({ etag, edits, root }) });
  const save = (files: SaveSchematics["files"]) =>
    fetch(url("").replace(/\/$/, ""), { method: "PUT", headers, body: JSON.stringify({ files }) });
  const status = async (path: string) => (await fetch(url(path), { headers })).status;
  const picture = (path: string) => fetch(url(path).replace("/schematics/", "/schematic-pictures/"), { headers });
  return { folder, notes, read, send, save, status, picture };
}

const resistor = (reference: string, xMm: number): SchematicEdit => ({
  ...{ do: "add_symbol", libId: "Parts:R", library: "parts.kicad_sym", reference, xMm, yMm: 50.8 },
});

test("a program draws a circuit: it adds, connects, moves, names and checks", async () => {
  const { read, send, notes } = open();
  const first = await read();
  assert.deepEqual([first.symbols, first.readOnly, first.sheets], [[], null, [{ name: "/", file: "a.kicad_sch" }]]);
  const drawn = await send(first.etag, [
    resistor("R1", 50.8),
    resistor("R2", 63.5),
    { do: "connect", from: "R1.1", to: "R2.1" },
    { do: "connect", from: "R1.2", to: "R2.2" },
    { do: "add_label", scope: "local", text: "OUT", xMm: 57.15, yMm: 46.99 },
  ]);
  assert.equal(drawn.status, 200);
  const edited = (await drawn.json()) as EditedSchematic;
  assert.deepEqual([edited.added.length, edited.errors], [5, 0]);
  const view = await read();
  assert.equal(view.etag, edited.etag);
  assert.deepEqual(view.nets, [
    { name: "/OUT", pins: ["R1.1", "R2.1"] },
    { name: "Net-(R1-Pad2)", pins: ["R1.2", "R2.2"] },
  ]);
  const uuid = view.symbols[0]?.uuid ?? assert.fail();
  const changed = await send(view.etag, [
    { do: "move", uuid, dxMm: -12.7, dyMm: 5.08 },
    { do: "set_property", uuid, name: "Value", value: "4k7" },
    { do: "set_property", uuid, name: "Reference", value: "R9" },
    { do: "add_no_connect", xMm: 10.16, yMm: 10.16 },
  ]);
  assert.equal(changed.status, 200);
  const last = await read();
  assert.deepEqual(last.nets[0], { name: "/OUT", pins: ["R9.1", "R2.1"] });
  assert.deepEqual([last.symbols[0]?.value, last.symbols[0]?.xMm], ["4k7", 38.1]);
  assert.deepEqual(
    last.findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule),
    ["no_connect_dangling"],
  );
  assert.match(notes.join("\n"), /a.kicad_sch edited by ann: move, set_property, set_property, add_no_connect/);
});

test("a program draws a sheet with its file and pins, copies to it, numbers all symbols and replaces texts", async () => {
  const { read, send, folder } = open();
  const first = await read();
  const box = { xMm: 76.2, yMm: 25.4, widthMm: 25.4, heightMm: 12.7 };
  const drawn = await send(first.etag, [
    { ...resistor("R?", 50.8) },
    { do: "add_sheet", name: "Amp", file: "parts/amp.kicad_sch", ...box },
    {
      do: "add_bus",
      points: [
        { xMm: 25.4, yMm: 25.4 },
        { xMm: 25.4, yMm: 50.8 },
      ],
    },
    { do: "add_bus_entry", xMm: 25.4, yMm: 30.48, dxMm: 2.54, dyMm: 2.54 },
    { do: "add_text", text: "IN and OUT", xMm: 10.16, yMm: 10.16 },
  ]);
  assert.equal(drawn.status, 200);
  const edited = (await drawn.json()) as EditedSchematic;
  assert.deepEqual(
    edited.others.map(({ path }) => path),
    ["parts/amp.kicad_sch"],
  );
  const view = await read();
  assert.deepEqual(view.sheets, [
    { name: "/", file: "a.kicad_sch" },
    { name: "/Amp/", file: "parts/amp.kicad_sch" },
  ]);
  const [uuid = "", sheet = ""] = edited.added;
  const path = "parts/amp.kicad_sch";
  const inside = await send(
    (await read(path)).etag,
    [
      { do: "copy", uuids: [uuid], from: "a.kicad_sch", dxMm: 0, dyMm: 0 },
      { do: "add_label", scope: "hierarchical", text: "IN", xMm: 50.8, yMm: 46.99 },
    ],
    { path, root: "a.kicad_sch" },
  );
  assert.equal(inside.status, 200);
  const pinned = await send(view.etag, [
    { do: "add_sheet_pin", uuid: sheet, name: "IN", xMm: 70, yMm: 30.48 },
    { do: "connect", from: "R?.1", to: "R?.1" },
  ]);
  assert.match(
    ((await pinned.json()) as { detail: string }).detail,
    /Edit 2, connect: A wire needs two different places/,
  );
  const named = await send(view.etag, [
    { do: "add_sheet_pin", uuid: sheet, name: "IN", xMm: 70, yMm: 30.48 },
    {
      do: "add_wire",
      points: [
        { xMm: 50.8, yMm: 46.99 },
        { xMm: 50.8, yMm: 30.48 },
        { xMm: 76.2, yMm: 30.48 },
      ],
    },
    { do: "annotate" },
    { do: "replace_text", text: "in", by: "INPUT", matchCase: false, wholeWord: true },
  ]);
  assert.equal(named.status, 200);
  assert.deepEqual(
    ((await named.json()) as EditedSchematic).others.map((one) => one.path),
    [path],
  );
  const last = await read();
  assert.deepEqual(
    last.symbols.map(({ reference, sheet: on }) => `${on}${reference}`),
    ["/R1", "/Amp/R2"],
  );
  // The pin has another name than the label inside now, so they are not connected.
  assert.deepEqual(last.findings.map(({ rule }) => rule).includes("hier_label_mismatch"), true);
  assert.match(readFileSync(join(folder, "a.kicad_sch"), "utf8"), /INPUT and OUT/);
  const back = await send(last.etag, [{ do: "replace_text", text: "INPUT", by: "IN" }]);
  assert.equal(back.status, 200);
  assert.deepEqual((await read()).nets[0]?.pins.sort(), ["R1.1", "R2.1"]);
});

test("a sheet that is not of the design, that would contain itself or that lies outside is refused", async () => {
  const { read, send, folder } = open();
  const box = { xMm: 76.2, yMm: 25.4, widthMm: 25.4, heightMm: 12.7 };
  await send((await read()).etag, [{ do: "add_sheet", name: "Amp", file: "amp.kicad_sch", ...box }]);
  const { etag } = await read();
  const outside = await send(etag, [resistor("R1", 25.4)], { root: "amp.kicad_sch" });
  assert.match(((await outside.json()) as { detail: string }).detail, /a.kicad_sch is not a sheet of amp.kicad_sch/);
  const again = await send(etag, [{ do: "add_sheet", name: "Me", file: "a.kicad_sch", ...box }]);
  assert.match(((await again.json()) as { detail: string }).detail, /a.kicad_sch would contain itself/);
  const up = await send(etag, [{ do: "add_sheet", name: "Up", file: "../../up.kicad_sch", ...box }]);
  assert.match(((await up.json()) as { detail: string }).detail, /inside the project/);
  assert.equal((await read()).etag, etag);
  assert.equal(existsSync(join(folder, "../../up.kicad_sch")), false);
});

test("of programs that changed the same version on two instances, one wins and the others are told", async () => {
  const { read, send } = open();
  const { etag } = await read();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => send(etag, [resistor(`R${at + 1}`, 25.4 + at * 12.7)], { instance: at % 2 })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412]);
  assert.equal((await read()).symbols.length, 1);
});

test("edits that change several files save all of them or none", async () => {
  const { read, send, folder } = open();
  const { etag } = await read();
  const box = { xMm: 76.2, yMm: 25.4, widthMm: 25.4, heightMm: 12.7 };
  writeFileSync(join(folder, "x"), "a file where a folder should be");
  const half = await send(etag, [
    { do: "add_sheet", name: "One", file: "one.kicad_sch", ...box },
    { do: "add_sheet", name: "Two", file: "x/two.kicad_sch", ...box, yMm: 50.8 },
  ]);
  assert.match(await half.text(), /"code":"file-name-refused"/);
  assert.deepEqual([(await read()).etag, existsSync(join(folder, "one.kicad_sch"))], [etag, false]);
  const whole = await send(etag, [
    { do: "add_sheet", name: "One", file: "one.kicad_sch", ...box },
    { do: "add_sheet", name: "Two", file: "two.kicad_sch", ...box, yMm: 50.8 },
  ]);
  const { others, etag: now } = (await whole.json()) as EditedSchematic;
  assert.deepEqual(
    [others[0]?.etag, others[1]?.etag],
    [(await read("one.kicad_sch")).etag, (await read("two.kicad_sch")).etag],
  );
  assert.deepEqual([(await read()).etag, (await read()).sheets.length], [now, 3]);
});

test("an edit that cannot be made is refused with its number, and nothing is changed", async () => {
  const { read, send, folder } = open();
  const { etag } = await read();
  for (const [edit, detail] of [
    [{ do: "remove", uuid: "none" }, /Edit 2, remove: There is no item none/],
    [{ do: "connect", from: "R1.1", to: "R7.1" }, /There is no pin R7.1/],
    [{ do: "add_label", scope: "local", text: "a\0", xMm: 0, yMm: 0 }, /NUL/],
    [{ do: "add_symbol", libId: "Parts:X", xMm: 0, yMm: 0 }, /There is no symbol Parts:X/],
    [{ do: "add_symbol", libId: "Parts:X", library: "none.kicad_sym", xMm: 0, yMm: 0 }, /no file none.kicad_sym/],
  ] as const) {
    const answer = await send(etag, [resistor("R1", 50.8), edit]);
    assert.equal(answer.status, 422);
    assert.match(((await answer.json()) as { detail: string }).detail, detail);
  }
  assert.equal((await read()).etag, etag);
  writeFileSync(join(folder, "new.kicad_sch"), EMPTY.replace("20250114", "20991231"));
  const later = await read("new.kicad_sch");
  assert.match(later.readOnly ?? "", /newer than KiCad 9/);
  assert.equal((await send(later.etag, [resistor("R1", 50.8)], { path: "new.kicad_sch" })).status, 422);
});

test("a program places a symbol of a library package; a wrong name is told with what there is", async () => {
  const { read, send } = open();
  const { etag } = await read();
  const basics = { do: "add_symbol", package: "com.example.parts", xMm: 50.8, yMm: 50.8 } as const;
  for (const [edit, status, detail] of [
    [{ ...basics, libId: "Other:R" }, 404, /has no library Other. It has Basics/],
    [{ ...basics, libId: "Basics:X" }, 422, /There is no symbol Basics:X. The library of com.example.parts/],
    [{ ...basics, libId: "Basics:R", library: "parts.kicad_sym" }, 422, /a file of the project or a package, not both/],
  ] as const) {
    const answer = await send(etag, [edit]);
    assert.equal(answer.status, status);
    assert.match(((await answer.json()) as { detail: string }).detail, detail);
  }
  assert.equal((await send(etag, [{ ...basics, libId: "Basics:R", reference: "R1" }])).status, 200);
  const [placed] = (await read()).symbols;
  assert.deepEqual([placed?.libId, placed?.reference, placed?.pins.length], ["Basics:R", "R1", 2]);
});

test("a sheet is drawn as PNG or SVG, alone or in JSON", async () => {
  const { read, send, picture } = open();
  await send((await read()).etag, [resistor("R1", 50.8), { do: "add_text", text: "<b>&", xMm: 10.16, yMm: 10.16 }]);
  const png = await picture("a.kicad_sch?pixels=400");
  assert.deepEqual([png.status, png.headers.get("content-type")], [200, "image/png"]);
  const { width, height, format } = await sharp(Buffer.from(await png.arrayBuffer())).metadata();
  assert.deepEqual([width, height, format], [400, 283, "png"]);
  const svg = await picture("a.kicad_sch?format=svg");
  assert.match(svg.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.match(svg.headers.get("content-disposition") ?? "", /^attachment/);
  assert.match(await svg.text(), /^<svg [\s\S]*&lt;b&gt;&amp;[\s\S]*<\/svg>\n$/);
  const inline = (await (await picture("a.kicad_sch?inline=true&pixels=100")).json()) as SchematicPicture;
  assert.deepEqual([inline.mimeType, inline.width, inline.sheet], ["image/png", 100, "/"]);
  assert.match(inline.dataUrl, /^data:image\/png;base64,iVBOR/);
  assert.equal((await picture("a.kicad_sch?sheet=/None/")).status, 422);
  assert.equal((await picture("a.kicad_sch?pixels=100000")).status, 400);
  assert.equal((await picture("none.kicad_sch")).status, 404);
});

test("files that are missing, broken or outside are refused", async () => {
  const { status, folder, read } = open();
  writeFileSync(join(folder, "broken.kicad_sch"), "(kicad_sch");
  writeFileSync(
    join(folder, "up.kicad_sch"),
    EMPTY.replace(
      "(lib_symbols)",
      '(sheet (at 0 0) (size 1 1) (property "Sheetname" "Up" (at 0 0 0)) (property "Sheetfile" "../../x.kicad_sch" (at 0 0 0)))',
    ),
  );
  assert.deepEqual([await status("none.kicad_sch"), await status("broken.kicad_sch")], [404, 422]);
  const up = await read("up.kicad_sch");
  assert.match(up.findings[0]?.message ?? "", /leads out of the project/);
});

test("several sheets are saved together: all of them, or none when one has changed or exists", async () => {
  const { folder, read, save, notes } = open();
  const { etag } = await read();
  const [changed, made] = [EMPTY.replace("A4", "A3"), EMPTY.replace("root", "sub")];
  const textOf = (path: string) => readFileSync(join(folder, path), "utf8");
  const answer = await save([
    { path: "sub.kicad_sch", etag: null, text: made },
    { path: "a.kicad_sch", etag, text: `\ufeff${changed}` },
  ]);
  assert.equal(answer.status, 200);
  const { files } = (await answer.json()) as SavedSchematics;
  assert.deepEqual([textOf("sub.kicad_sch"), textOf("a.kicad_sch")], [made, `\ufeff${changed}`]);
  assert.deepEqual(files[1], { path: "a.kicad_sch", etag: (await read()).etag });
  assert.match(JSON.stringify(notes), /Saved together by/);

  const [sub, root] = files;
  for (const late of [
    { path: "a.kicad_sch", etag, text: EMPTY },
    { path: "a.kicad_sch", etag: null, text: EMPTY },
    { path: "gone.kicad_sch", etag: root?.etag ?? "", text: EMPTY },
  ]) {
    const refused = await save([{ path: "sub.kicad_sch", etag: sub?.etag ?? "", text: EMPTY }, late]);
    assert.equal(refused.status, 412, late.path);
    assert.equal(textOf("sub.kicad_sch"), made);
  }
  assert.equal(existsSync(join(folder, "gone.kicad_sch")), false);
});

test("files that are too large, named twice or outside of the project are not saved", async () => {
  const { folder, save } = open();
  const file = (path: string, text = EMPTY) => ({ path, etag: null, text });
  assert.equal((await save([file("b.kicad_sch"), file("B.kicad_sch")])).status, 422);
  assert.equal((await save([file("b.kicad_sch"), file("../b.kicad_sch")])).status, 422);
  assert.equal((await save([file("b.kicad_sch"), file("c.kicad_sch", "€".repeat(2_000_000))])).status, 413);
  assert.equal((await save([])).status, 422);
  assert.equal(existsSync(join(folder, "b.kicad_sch")), false);
});

test("sheets on their way are limited per person, and refused before they are read", async () => {
  const { save } = open();
  const bytes = PANELS_LIMITS.maxArrivingFileBytesPerPerson / 2;
  const send = (person: string, length: number) => {
    const headers = { authorization: person, "content-type": "application/json", "content-length": length };
    const path = `/api/workspaces/editor/ann/rover-${projectsMade}/current/schematics`;
    const sent = request(`${server.addresses[0]}${path}`, { method: "PUT", headers, agent: false });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on("response", (response) => resolve(response.resume().statusCode));
      sent.on("error", () => resolve(undefined));
    });
    sent.write("{");
    return { status, end: () => sent.destroy() };
  };
  const saved = async () => (await save([{ path: "../x", etag: null, text: EMPTY }])).status;
  const sending = [send("ann", bytes), send("ann", bytes)];
  while ((await saved()) !== 429);
  const stranger = send("eve", bytes);
  assert.equal(await stranger.status, 403);
  sending[0]?.end();
  while ((await saved()) === 429);
  assert.equal(await saved(), 422);
  for (const { end } of [...sending, stranger]) end();
});
