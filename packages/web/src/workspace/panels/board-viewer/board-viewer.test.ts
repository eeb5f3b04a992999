import assert from "node:assert/strict";
import { test } from "node:test";
import { readBoard } from "@backplane/kicad/board";
import { readNets } from "@backplane/kicad/nets";
import { readDesign } from "@backplane/kicad/schematic";
import { exampleSheet } from "../schematic-editor/new-sheets.ts";
import { exampleBoard } from "./example-board.ts";
import { firstLayers, layerRows, layerWords } from "./layers.ts";
import { findModel } from "./models/find-model.ts";
import { MAX_ENTITIES, MAX_TRIANGLES, refuseEntities } from "./models/step-limits.ts";
import { toStepMesh } from "./models/step-mesh.ts";
import { buildPlate } from "./stage/plate.ts";

const board = readBoard(exampleBoard());

test("the example is a board without notes, with the parts and nets of the example of the schematic editor", () => {
  assert.deepEqual(board.notes, []);
  const { left, top, right, bottom } = board.outline.box;
  assert.deepEqual([left, top, right, bottom], [100, 100, 140, 125]);
  const pads = new Map<string, string[]>();
  for (const { name, part, net } of board.pads) {
    const key = board.nets[net];
    if (key !== undefined) pads.set(key, [...(pads.get(key) ?? []), `${board.parts[part]?.reference}.${name}`].sort());
  }
  const { nets } = readNets(readDesign("example.kicad_sch", () => exampleSheet()));
  const drawn = nets.map(({ name, pins }): [string, string[]] => [
    name,
    pins
      .filter(({ reference }) => !reference.startsWith("#"))
      .map(({ reference, pin }) => `${reference}.${pin.number}`)
      .sort(),
  ]);
  assert.deepEqual([...pads].sort(), drawn.sort());
});

test("layers have names that people know; what is inside and what only fabs need is off at first", () => {
  assert.deepEqual(
    layerRows(board.layers)
      .slice(0, 4)
      .map(({ words }) => words),
    ["Parts, front", "Silkscreen, front", "Solder mask, front", "Copper, front"],
  );
  const inner = { name: "In2.Cu", kind: "copper", side: undefined, userName: "Power" } as const;
  assert.equal(layerWords(inner), "Copper, inner 2 (Power)");
  assert.equal(firstLayers([...board.layers, inner]).includes("In2.Cu"), false);
  assert.ok(firstLayers(board.layers).includes("B.SilkS") && !firstLayers(board.layers).includes("F.CrtYd"));
});

test("a model is found by the last part of its name alone: .glb and STEP, in a folder of the same name first", () => {
  const paths = [
    "models/R_0805.glb",
    "models/LED.step",
    "secret/passwd",
    "a/SOT.step",
    "B.3dshapes/SOT.stp",
    "a/SOT.glb",
  ];
  const found = (model: string) =>
    findModel(
      paths.map((path) => ({ path })),
      model,
    )?.path;
  assert.equal(found("/opt/models/Resistor.3dshapes/r_0805.step"), "models/R_0805.glb");
  assert.equal(found("C:\\models\\R_0805.wrl"), "models/R_0805.glb");
  assert.equal(found("LED.wrl"), "models/LED.step");
  assert.equal(found("$(KISYS3DMOD)/B.3dshapes/SOT.wrl"), "B.3dshapes/SOT.stp");
  assert.equal(found("$(KISYS3DMOD)/C.3dshapes/SOT.wrl"), "a/SOT.glb");
  assert.deepEqual(["", "passwd", "../../secret/passwd.txt"].map(found), [undefined, undefined, undefined]);
});

test("solids of a STEP file become one mesh, with the colours of faces before those of solids", () => {
  const solid = (x: number) => ({
    attributes: { position: { array: [x, 0, 0, x + 1, 0, 0, x, 1, 0, x, 0, 1, x + 1, 0, 1, x, 1, 1] } },
    index: { array: [0, 1, 2, 3, 4, 5] },
    brep_faces: [
      { first: 0, last: 0, color: [0, 1, 0] as [number, number, number] },
      { first: 1, last: 1, color: null },
    ],
  });
  const { positions, normals, colours, corners } = toStepMesh({
    success: true,
    meshes: [{ ...solid(0), color: [1, 0, 0] }, solid(10)],
  });
  assert.deepEqual([...corners], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([positions[0], positions[18]], [0, 10]);
  assert.deepEqual([...colours.slice(0, 3), ...colours.slice(9, 12)], [0, 1, 0, 1, 0, 0]);
  assert.equal(normals, undefined);
});

test("a STEP file without a solid, with too many triangles or with places that are not numbers is refused in words", () => {
  const mesh = (array: number[], corners: number[]) => ({
    attributes: { position: { array } },
    index: { array: corners },
    brep_faces: [],
  });
  assert.throws(() => toStepMesh({ success: false }), /cannot be read as STEP/);
  assert.throws(() => toStepMesh({ success: true, meshes: [] }), /no solid/);
  const many = new Array<number>(3 * (MAX_TRIANGLES + 1)).fill(0);
  assert.throws(
    () => toStepMesh({ success: true, meshes: [mesh([0, 0, 0], many)] }),
    /300,001 triangles. The limit is 300,000. Use a simpler model/,
  );
  assert.throws(() => toStepMesh({ success: true, meshes: [mesh([0, Number.NaN, 0], [0, 0, 0])] }), /not numbers/);
});

test("a STEP file with too many entities is refused before the library starts, with the limit and what to do", () => {
  const file = (entities: number) => new TextEncoder().encode("#1=DIRECTION('',(0.,0.,1.));\n".repeat(entities));
  assert.equal(refuseEntities(file(MAX_ENTITIES)), undefined);
  assert.match(refuseEntities(file(MAX_ENTITIES + 1)) ?? "", /limit of 200,000 per STEP file. Use a simpler model/);
});

test("the plate has its real holes: its faces have the area of the board without them", () => {
  const holes = board.pads.flatMap(({ hole }) => hole ?? []);
  const { front, back, walls } = buildPlate(board.outline, holes, board.thicknessMm);
  const position = front.getAttribute("position");
  let area = 0;
  for (let at = 0; at < position.count; at += 3) {
    const [ax, ay, bx, by, cx, cy] = [0, 1, 2].flatMap((corner) => [
      position.getX(at + corner),
      position.getY(at + corner),
    ]);
    area +=
      Math.abs(((bx ?? 0) - (ax ?? 0)) * ((cy ?? 0) - (ay ?? 0)) - ((cx ?? 0) - (ax ?? 0)) * ((by ?? 0) - (ay ?? 0))) /
      2;
  }
  const corners = (4 - Math.PI) * 4;
  const round = holes.map(({ widthMm }) => (Math.PI * widthMm ** 2) / 4).reduce((sum, each) => sum + each, 0);
  // Circles are drawn with corners.
  assert.ok(Math.abs(area - (1000 - corners - round)) < 1.5, String(area));
  assert.equal(back.getAttribute("position").count, position.count);
  assert.ok(walls.getAttribute("position").count > 6 * 8 * 16);
});
