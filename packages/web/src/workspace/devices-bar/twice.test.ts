import assert from "node:assert/strict";
import { test } from "node:test";
import { createTwice } from "./twice.ts";

test("Escape twice within 0.6 s counts; once, slowly, or with another key between does not", () => {
  const isTwice = createTwice();
  const presses: [boolean, number][] = [
    ...([
      [true, 0],
      [true, 601],
      [true, 1_200],
    ] as [boolean, number][]),
    ...([
      [true, 1_300],
      [false, 1_350],
      [true, 1_400],
      [true, 1_500],
    ] as [boolean, number][]),
  ];
  assert.deepEqual(
    presses.map(([isKey, atMs]) => isTwice(isKey, atMs)),
    [false, false, true, false, false, false, true],
  );
});
