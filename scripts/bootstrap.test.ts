import assert from "node:assert/strict";
import test from "node:test";
import { refuseUnsupported } from "./bootstrap.mjs";

test("a Node that is too old is refused with the version that will do", () => {
  const refusal = refuseUnsupported({ platform: "linux", version: "16.20.2" });
  assert.equal(refusal, "Node 16.20.2 is too old. Install Node 20 or later.");
});

test("Windows is refused with a way out; Linux and macOS are not refused", () => {
  assert.match(refuseUnsupported({ platform: "win32", version: "24.0.0" }) ?? "", /WSL/);
  for (const platform of ["linux", "darwin"]) {
    assert.equal(refuseUnsupported({ platform, version: "20.0.0" }), undefined);
  }
});
