import assert from "node:assert/strict";
import { test } from "node:test";
import { wantsPng } from "./routes.ts";

test("a client that prefers image/png gets the image, all others get JSON", () => {
  for (const accept of ["image/png", "IMAGE/PNG;q=0.5", "image/png, */*", "image/png, application/json;q=0.9"]) {
    assert.ok(wantsPng(accept), accept);
  }
  for (const accept of [undefined, "", "*/*", "image/*", "application/json", "image/png;q=0"]) {
    assert.ok(!wantsPng(accept), accept);
  }
  assert.ok(!wantsPng("application/json, image/png;q=0.8"));
});
