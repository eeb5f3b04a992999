import assert from "node:assert/strict";
import test from "node:test";
import { drawPicture, placePicture } from "./picture.ts";

const files = [
  { source: "packages/web/src/app.tsx", imports: ["packages/platform/src/x.ts", "packages/web/src/page.tsx"] },
  { source: "packages/platform/src/main.ts", imports: ["packages/kit/src/log.ts", "node_modules/fastify/fastify.js"] },
  { source: "packages/platform/src/main.test.ts", imports: ["packages/cli/src/main.ts"] },
  { source: "packages/cli/src/main.ts", imports: ["packages/platform/src/x.ts"] },
  { source: "packages/kit/src/log.ts", imports: [] },
];

test("packages and their arrows in order, none from tests", () => {
  assert.equal(
    drawPicture(files),
    [
      "```mermaid",
      "flowchart TD",
      "  cli",
      "  kit",
      "  platform",
      "  web",
      "  cli --> platform",
      "  platform --> kit",
      "  web --> platform",
      "```",
    ].join("\n"),
  );
});

test("the same imports in another order draw the same picture", () => {
  assert.equal(drawPicture(files.toReversed()), drawPicture(files));
});

test("the picture replaces what is between the marks and nothing else", () => {
  const text = "before\n<!-- arrows:start -->\nold\n<!-- arrows:end -->\nafter\n";
  const placed = placePicture(text, "new");
  assert.equal(placed, "before\n<!-- arrows:start -->\nnew\n<!-- arrows:end -->\nafter\n");
  assert.equal(placePicture(placed ?? "", "new"), placed);
  assert.equal(placePicture("no marks", "new"), undefined);
});
