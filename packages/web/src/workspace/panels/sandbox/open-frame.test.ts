import assert from "node:assert/strict";
import { test } from "node:test";
import { frameAddress, newWindowName } from "./open-frame.ts";

const FRAMES = "http://*.localhost:8790";
const place = { path: "ada/rover/tab_1", window: "x1", generation: 0 };

test("a frame's host is of a form that the server knows", () => {
  const { host, pathname } = new URL(frameAddress(FRAMES, place));
  assert.match(host, /^s-[a-z0-9-]{1,61}\.localhost:8790$/);
  assert.equal(pathname, "/");
});

test("another tab, another window and another generation have another host", () => {
  const others = [
    place,
    { ...place, path: "ada/rover/tab_2" },
    { ...place, window: "x2" },
    { ...place, generation: 1 },
  ].map((one) => new URL(frameAddress(FRAMES, one)).host);
  assert.equal(new Set(others).size, others.length);
});

test("the name of a window has no characters that a host name may not have", () => {
  for (const number of [0, 0.3, 0.999_999])
    assert.match(
      newWindowName(() => number),
      /^[a-z0-9]{1,5}$/,
    );
});
