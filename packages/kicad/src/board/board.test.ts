import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FileFault, readTree } from "../sexpr/index.ts";
import { RELEASES, testBoard } from "../testing/board.ts";
import { findAt, netFacts, readBoard, readFootprintFile, snapTo } from "./index.ts";
import { chainLines, MAX_EDGES } from "./outline.ts";
import { createValues, MAX_MM, MAX_POINTS } from "./values.ts";

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

suite("a board of each KiCad", () => {
  for (const release of RELEASES) {
    test(`KiCad ${release}`, () => {
      const board = readBoard(testBoard(release));
      const { left, top, right, bottom } = board.outline.box;
      assert.deepEqual([left, top, right, bottom].map(rounded), [10, 10, 40, 30]);
      assert.equal(board.outline.solids.length, 1);
      assert.equal(board.outline.solids[0]?.holes.length, 1);
      assert.deepEqual(board.notes, []);
      assert.equal(board.thicknessMm, 1.2);
      assert.deepEqual([...board.nets].sort(), ["GND", "VIN"]);
      assert.deepEqual(
        board.parts.map(({ reference, value, side, padCount }) => [reference, value, side, padCount]),
        [
          ["R1", "330", "front", 2],
          ["J1", "", "back", 2],
        ],
      );
      const [r1] = board.parts;
      assert.deepEqual(r1?.yard, { at: { x: 20, y: 20 }, widthMm: 4, heightMm: 2, angle: 0 });
      const vin = netFacts(board).find(({ name }) => name === "VIN");
      assert.deepEqual(vin, { name: "VIN", padCount: 2, viaCount: 1, lengthMm: 5, narrowestMm: 0.4 });
      assert.deepEqual(
        board.zones.map(({ layer, areas, net }) => [layer, areas[0]?.length, board.nets[net]]),
        [["B.Cu", 3, "GND"]],
      );
      assert.deepEqual([...board.texts.map(({ text }) => text)].sort(), ["330", "J1", "R1", "Test"]);
      const [plated, bare] = board.pads.slice(2);
      // Turned by 90° anticlockwise: what was to the right is above.
      assert.deepEqual([rounded(plated?.at.x ?? 0), rounded(plated?.at.y ?? 0)], [30, 18]);
      assert.ok(plated?.layers.has("In1.Cu") && plated.layers.has("B.Mask"));
      assert.equal(bare?.layers.has("F.Cu"), false, "a hole without copper");
      assert.deepEqual(board.vias[0]?.layers, ["F.Cu", "In1.Cu", "B.Cu"]);
    });
  }

  test("copper layers that people of KiCad 5 renamed have their own names again", () => {
    const board = readBoard(testBoard(5).replaceAll("F.Cu", "Top").replaceAll("In1.Cu", "Power"));
    assert.deepEqual(
      board.layers.slice(0, 3).map(({ name, userName }) => [name, userName]),
      [
        ["F.Cu", "Top"],
        ["In1.Cu", "Power"],
        ["B.Cu", undefined],
      ],
    );
    assert.equal(board.tracks[0]?.layer, "F.Cu");
  });
});

test("what is only drawn has no body: nobody places it, and it has no model", () => {
  const bodies = (words: string) =>
    readBoard(testBoard(9, `(footprint "Own:P" (layer "F.Cu") (at 15 25 0) ${words})`)).parts.map(
      ({ hasBody }) => hasBody,
    );
  assert.deepEqual(bodies("(attr smd)"), [true, true, true]);
  assert.deepEqual(bodies("(attr exclude_from_pos_files exclude_from_bom)"), [true, true, false]);
  assert.deepEqual(bodies("(attr virtual)"), [true, true, false]);
  assert.deepEqual(bodies('(attr exclude_from_pos_files) (model "J.step")'), [true, true, true]);
});

suite("the shapes of pads", () => {
  const padOf = (words: string) => {
    const text = testBoard(9, `(footprint "Own:P" (layer "F.Cu") (at 15 25 0) (pad "1" ${words}))`);
    const pad = readBoard(text).pads.at(-1);
    const points = pad?.strokes.flatMap((stroke) => stroke.points) ?? [];
    const span = (axis: "x" | "y") => {
      const all = points.map((point) => point[axis]);
      return [rounded(Math.min(...all)), rounded(Math.max(...all))];
    };
    return { pad, points, x: span("x"), y: span("y") };
  };
  const on = '(layers "F.Cu")';

  test("are of the size that the file says, at any angle", () => {
    for (const shape of ["circle", "rect", "oval", "roundrect"]) {
      const { x, y } = padOf(`smd ${shape} (at 0 0) (size 2 ${shape === "circle" ? 2 : 1}) ${on}`);
      assert.deepEqual(x, [14, 16], shape);
      assert.deepEqual(y, shape === "circle" ? [24, 26] : [24.5, 25.5], shape);
    }
    const turned = padOf(`smd rect (at 0 0 90) (size 2 1) ${on}`);
    assert.deepEqual(
      [turned.x, turned.y],
      [
        [14.5, 15.5],
        [24, 26],
      ],
    );
  });

  test("a cut corner, a trapezoid, an offset and a slot", () => {
    const cut = padOf(
      `smd roundrect (at 0 0) (size 2 2) ${on} (roundrect_rratio 0) (chamfer_ratio 0.25) (chamfer top_left)`,
    );
    assert.deepEqual(
      cut.points.map(({ x, y }) => [rounded(x), rounded(y)]),
      [
        [14, 24.5],
        [14.5, 24],
        [16, 24],
        [16, 26],
        [14, 26],
      ],
    );
    const wide = padOf(`smd trapezoid (at 0 0) (size 2 2) (rect_delta 0 1) ${on}`);
    assert.deepEqual(wide.x, [13.5, 16.5]);
    const moved = padOf(`thru_hole oval (at 0 0) (size 2 1) (drill oval 1 0.5 (offset 1 0)) ${on}`);
    assert.deepEqual(moved.x, [15, 17]);
    assert.deepEqual(moved.pad?.hole, { at: { x: 15, y: 25 }, widthMm: 1, heightMm: 0.5, angle: 0 });
  });

  test("a pad that is drawn has all its lines", () => {
    const { pad, x } = padOf(
      `smd custom (at 0 0) (size 1 1) ${on} (options (anchor circle)) (primitives (gr_poly (pts (xy 0 0) (xy 4 0) (xy 4 1)) (width 0)) (gr_line (start 0 0) (end -3 0) (width 0.2)))`,
    );
    assert.equal(pad?.strokes.length, 3);
    assert.deepEqual(x, [12, 19]);
    assert.deepEqual(
      pad?.strokes.map(({ isFilled }) => isFilled),
      [true, true, false],
    );
  });
});

suite("outlines", () => {
  test("ends within 20 µm meet, in any order and direction; what leads nowhere is counted", () => {
    const { loops, open } = chainLines([
      [
        { x: 0, y: 0 },
        { x: 10, y: 0 },
      ],
      [
        { x: 0, y: 0.015 },
        { x: 0, y: 5 },
      ],
      [
        { x: 10, y: 5 },
        { x: 10, y: 0.01 },
      ],
      [
        { x: 10, y: 5 },
        { x: 0, y: 5 },
      ],
      [
        { x: 20, y: 0 },
        { x: 30, y: 0 },
      ],
    ]);
    assert.deepEqual([loops.length, open], [1, 1]);
  });

  test("an open outline becomes a box with a note, and so does a board without one", () => {
    const line = '(gr_line (start 5 5) (end 25 15) (layer "Edge.Cuts") (width 0.1))';
    const head = '(kicad_pcb (version 20241229) (layers (0 "F.Cu" signal) (2 "B.Cu" signal))';
    const open = readBoard(`${head} ${line})`);
    assert.deepEqual(open.outline.box, { left: 5, top: 5, right: 25, bottom: 15 });
    assert.match(open.notes[0] ?? "", /not closed/);
    assert.match(readBoard(`${head})`).notes[0] ?? "", /no outline/);
  });

  test("a board inside of a hole is a board again", () => {
    const circle = (radius: number) =>
      `(gr_circle (center 25 20) (end ${25 + radius} 20) (layer "Edge.Cuts") (width 0.1))`;
    const { solids } = readBoard(testBoard(9, `${circle(3)} ${circle(2)}`)).outline;
    assert.deepEqual(
      solids.map(({ holes }) => holes.length),
      [2, 0],
    );
  });

  test("an outline inside of a footprint counts", () => {
    const text = testBoard(
      9,
      '(footprint "Own:S" (layer "F.Cu") (at 15 20 0) (fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts") (width 0.1)))',
    );
    assert.equal(readBoard(text).outline.solids[0]?.holes.length, 2);
  });
});

suite("places", () => {
  const board = readBoard(testBoard(9));
  const at = (
    x: number,
    y: number,
    side: "front" | "back" = "front",
    isShown: (layer: string) => boolean = () => true,
  ) => {
    const found = findAt(board, { at: { x, y }, withinMm: 0.2, side, isShown });
    return found && [found.kind, board.nets[found.net], board.parts[found.part]?.reference];
  };

  test("what is at a place, from either side, of the layers that are shown", () => {
    assert.deepEqual(at(19, 20), ["pad", "GND", "R1"]);
    assert.deepEqual(at(23, 20.1), ["track", "VIN", undefined]);
    assert.deepEqual(at(26.3, 20), ["via", "VIN", undefined]);
    assert.deepEqual(at(20, 20.9), ["part", undefined, "R1"]);
    assert.deepEqual(at(17, 13, "back"), ["zone", "GND", undefined]);
    assert.deepEqual(at(30, 18, "back"), ["pad", "VIN", "J1"]);
    assert.equal(at(17, 13), undefined);
    assert.equal(
      at(23, 20.1, "front", (layer) => layer !== "F.Cu"),
      undefined,
    );
  });

  test("measuring snaps to the middle of pads and vias", () => {
    assert.deepEqual(snapTo(board, { x: 19.3, y: 20.2 }, 0.5), { x: 19, y: 20 });
    assert.deepEqual(snapTo(board, { x: 22, y: 25 }, 0.5), { x: 22, y: 25 });
  });
});

suite("hostile boards", () => {
  const refuses = (text: string, words: RegExp) =>
    assert.throws(
      () => readBoard(text),
      (fault) => fault instanceof FileFault && words.test(fault.reason) && fault.line >= 1,
    );

  test("what is not a board is refused in words", () => {
    refuses("", /empty/);
    refuses("(kicad_sch (version 1))", /not a KiCad board/);
    refuses("(kicad_pcb)", /file version/);
    refuses(`(kicad_pcb (version 1) ${"(a ".repeat(600)}`, /deeper/);
  });

  test("absurd coordinates and sizes are refused with their place", () => {
    for (const value of ["1e300", "-99999", "1e309"]) {
      refuses(
        testBoard(9, `\n(segment (start 0 0) (end ${value} 0) (width 1) (layer "F.Cu") (net 1))`),
        /beyond the limit|where it is/,
      );
    }
    refuses(testBoard(9, '(via (at 1 1) (size 1e9) (layers "F.Cu" "B.Cu"))'), new RegExp(String(MAX_MM)));
    refuses(testBoard(9, '(footprint "x" (layer "F.Cu") (at here there))'), /where it is/);
  });

  test("a board of more points than the limit is refused; an outline of too many lines is a box", () => {
    const values = createValues("(a)");
    values.count(MAX_POINTS, readTree("(a)"));
    assert.throws(() => values.count(1, readTree("(a)")), /points/);
    const lines = '(gr_line (start 1 1) (end 2 2) (layer "Edge.Cuts"))'.repeat(MAX_EDGES);
    assert.match(readBoard(testBoard(9, lines)).notes[0] ?? "", /more than 10000 lines/);
  });

  test("names are only names: paths of models, parts and nets that objects have by birth", () => {
    const text = testBoard(8).replaceAll("VIN", "__proto__").replaceAll('"R1"', '"constructor"');
    const board = readBoard(text);
    assert.ok(board.nets.includes("__proto__"));
    assert.equal(board.parts[0]?.reference, "constructor");
    assert.equal(board.parts[0]?.models[0]?.path, "../../etc/R.step");
  });

  test("a file cut or changed at any place is refused with a place, or read", () => {
    const text = testBoard(9);
    for (let place = 0; place < text.length; place += 13) {
      const changed = `${text.slice(0, place)}${'()"\\ 9z\n'[place % 8]}${text.slice(place + 1)}`;
      for (const hostile of [text.slice(0, place), changed]) {
        try {
          readBoard(hostile);
        } catch (fault) {
          assert.ok(fault instanceof FileFault, String(fault));
        }
      }
    }
  });
});

test("a footprint of a library is a board of its own, as large as what is drawn, in the words of each KiCad", () => {
  const items = `(fp_text reference "REF**" (at 0 -2) (layer F.SilkS) (effects (font (size 1 1) (thickness 0.15))))
    (fp_line (start -3 -1.5) (end 3 -1.5) (layer F.CrtYd) (width 0.05))
    (pad 1 smd rect (at -1 0) (size 1 1.4) (layers F.Cu F.Paste F.Mask))
    (pad 2 thru_hole circle (at 1 0) (size 1.6 1.6) (drill 0.8) (layers *.Cu *.Mask))`;
  for (const text of [
    `(module R_0805 (layer F.Cu) (tedit 5F68FEEE) ${items})`,
    `(footprint "R_0805" (version 20240108) (generator "pcbnew") (layer "F.Cu") ${items})`,
  ]) {
    const board = readFootprintFile(text);
    assert.deepEqual(
      board.pads.map(({ name, layers, hole }) => [name, layers.has("F.Mask"), layers.has("B.Cu"), hole?.widthMm]),
      [
        ["1", true, false, undefined],
        ["2", true, true, 0.8],
      ],
    );
    assert.deepEqual(board.outline.box, { left: -3.5, right: 3.5, top: -3, bottom: 1.3 });
    assert.equal(board.texts[0]?.text, "REF**");
  }
  assert.throws(
    () => readFootprintFile("(kicad_pcb (version 20240108))"),
    /not a KiCad footprint \(line 1, column 1\)/,
  );
  assert.throws(
    () => readFootprintFile('(footprint "far" (pad "1" smd rect (at 1e9 0) (size 1 1) (layers "F.Cu")))'),
    FileFault,
  );
});
