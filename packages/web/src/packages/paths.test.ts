import assert from "node:assert/strict";
import { test } from "node:test";
import {
  detailsPath,
  iconPath,
  packagePage,
  publishPath,
  searchPage,
  searchPath,
  versionPath,
  withParameters,
} from "./paths.ts";

const nine = { tool: "9.0", platform: "linux" } as const;

test("a search asks only for what was typed and chosen", () => {
  assert.equal(searchPath({ q: "", type: undefined }, undefined, 50), "/registry/search?limit=50");
  assert.equal(
    searchPath({ q: "via & co", type: "plugin" }, nine, 50),
    "/registry/search?q=via+%26+co&type=plugin&tool=9.0&platform=linux&limit=50",
  );
});

test("an identifier stays one part of its path", () => {
  assert.equal(detailsPath("com.x", nine), "/registry/packages/com.x/details?tool=9.0&platform=linux");
  assert.equal(detailsPath("../user", undefined), "/registry/packages/..%2Fuser/details");
  assert.equal(iconPath("a/b"), "/registry/packages/a%2Fb/icon.png");
  assert.equal(versionPath("com.x", "1-2.3.0"), "/registry/packages/com.x/versions/1-2.3.0");
  assert.equal(packagePage("com.x", nine), "/packages/com.x?tool=9.0&platform=linux");
  assert.equal(searchPage("layer-stack"), "/packages?q=layer-stack");
});

test("a check has its own parameter", () => {
  assert.equal(publishPath({ check: true }), "/registry/packages?check=true");
  assert.equal(publishPath({ owner: "fieldworks" }), "/registry/packages?owner=fieldworks");
  assert.equal(publishPath({ isPrivate: true }), "/registry/packages?private=true");
  assert.equal(publishPath({}), "/registry/packages");
});

test("a change keeps the other parameters and removes empty ones", () => {
  const address = "http://localhost:8790/packages?q=via&tool=9.0&platform=linux";
  assert.equal(withParameters(address, { q: "", type: "library" }), "/packages?tool=9.0&platform=linux&type=library");
  assert.equal(withParameters(address, { tool: undefined, platform: undefined }), "/packages?q=via");
});
