import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogPanel } from "@backplane/contract/panels";
import { toCommands } from "./commands.ts";
import { cellsOf, countsOf, gridMove, groupsOf, likeliest, searchCatalog } from "./search-catalog.ts";

const panel = (name: string, category: CatalogPanel["category"], description = ""): CatalogPanel =>
  ({ name, category, description, kind: name.toLowerCase(), built: true }) as CatalogPanel;
const panels = [
  panel("Code editor", "Development", "Edit files of this project"),
  panel("Motor control", "Control", "Speed, direction and current limit"),
  panel("Speed controller", "Control", "Tune and test one controller"),
];

test("a search finds every word in the name, description or category, in any case", () => {
  const names = (query: string) => searchCatalog(panels, query).map(({ name }) => name);
  assert.deepEqual(names("SPEED"), ["Motor control", "Speed controller"]);
  assert.deepEqual(names("speed tune"), ["Speed controller"]);
  assert.deepEqual(names("development"), ["Code editor"]);
  assert.deepEqual(names("  "), ["Code editor", "Motor control", "Speed controller"]);
  assert.deepEqual(names("oscilloscope"), []);
});

test("Enter takes names that start with the query first; a full name comes before all", () => {
  const found = [
    panel("Camera player", "Media", "A web camera"),
    panel("Robot web log", "Utility"),
    panel("Web view", "Utility"),
  ];
  assert.equal(likeliest(found, "web"), 2);
  assert.equal(likeliest(found, " Camera player "), 0);
  assert.equal(likeliest(found.slice(0, 1), "camera"), 0);
  assert.equal(likeliest(found, ""), 0);
  assert.equal(likeliest([], "web"), 0);
});

test("groups and counts follow the search", () => {
  assert.deepEqual(
    groupsOf(panels, "All").map(({ title }) => title),
    ["Development", "Control"],
  );
  assert.deepEqual(
    groupsOf(panels, "Control").map(({ choices }) => choices.length),
    [2],
  );
  assert.deepEqual(countsOf(panels).at(-1), ["Commands", 0]);
  assert.deepEqual(countsOf(panels).slice(0, 3), [
    ["All", 3],
    ["Development", 1],
    ["Control", 2],
  ]);
});

test("groups are in the order of the catalog; commands come last", () => {
  const [editor, motor, speed] = panels as [CatalogPanel, CatalogPanel, CatalogPanel];
  const [undo] = toCommands([{ label: "Undo", hint: "Ctrl Z", onSelect: () => {} }], "this workspace");
  assert.ok(undo);
  const choices = [undo, editor, motor, speed];
  assert.deepEqual(
    groupsOf(choices, "All").map(({ title, choices: own }) => [title, ...own.map(({ name }) => name)]),
    [
      ["Development", "Code editor"],
      ["Control", "Motor control", "Speed controller"],
      ["Commands", "Undo"],
    ],
  );
  assert.deepEqual(searchCatalog(choices, "undo commands"), [undo]);
  assert.deepEqual(searchCatalog(choices, "this workspace"), [], "not by what it changes");
  assert.equal(likeliest(choices, "undo"), 0);
  let isUndone = false;
  const onSelect = () => {
    isUndone = true;
  };
  toCommands([{ label: "Undo", onSelect }], "")[0]?.run();
  assert.equal(isUndone, true);
});

// 0 1
// 2
// ---
// 3 4
const cells = cellsOf([3, 2], 2);

test("arrow keys move over the grid, through groups, and stop at its edges", () => {
  assert.equal(gridMove("ArrowDown", 0, cells), 2);
  assert.equal(gridMove("ArrowDown", 1, cells), 2);
  assert.equal(gridMove("ArrowDown", 2, cells), 3);
  assert.equal(gridMove("ArrowUp", 4, cells), 2);
  assert.equal(gridMove("ArrowDown", 4, cells), 4);
  assert.equal(gridMove("ArrowUp", 0, cells), 0);
  assert.equal(gridMove("ArrowRight", 2, cells), 3);
  assert.equal(gridMove("ArrowLeft", 0, cells), 0);
  assert.equal(gridMove("Tab", 0, cells), undefined);
});
