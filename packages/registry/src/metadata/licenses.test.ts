import assert from "node:assert/strict";
import { test } from "node:test";
import { LICENSES } from "@backplane/contract/registry";
import { isLicense } from "./licenses.ts";

test("a package may name every licence of version 1", () => {
  for (const license of LICENSES) assert.ok(isLicense(license), license);
});

test("a package may name any SPDX licence expression", () => {
  for (const license of [
    "GPL-3.0-or-later",
    "CERN-OHL-S-2.0",
    "GPL-2.0+",
    "0BSD",
    "LicenseRef-Acme-1.0",
    "DocumentRef-acme:LicenseRef-x",
    "MIT OR Apache-2.0",
    "(MIT OR Apache-2.0) AND CERN-OHL-P-2.0",
    "GPL-3.0-only WITH GCC-exception-3.1",
    "((MIT))",
  ]) {
    assert.ok(isLicense(license), license);
  }
});

test("typing errors and anything else are not licences", () => {
  for (const license of [
    "",
    " ",
    "MTI",
    "mit",
    "none",
    "Proprietary",
    "GPL 3",
    "MIT OR",
    "OR MIT",
    "MIT Apache-2.0",
    "MIT or Apache-2.0",
    "(MIT",
    "MIT)",
    "()",
    "MIT WITH",
    "LicenseRef-",
    "MIT\nOR ISC",
    "\u001bMIT",
    "constructor",
    `(${"MIT OR ".repeat(200)}MIT)`,
  ]) {
    assert.ok(!isLicense(license), license);
  }
});
