import assert from "node:assert/strict";
import { test } from "node:test";
import { framingFault, proxyFailed } from "./faults.ts";

const words = { title: "Title", detail: "Detail" };

test("when the proxy refuses an address, 'try again' is not offered", () => {
  assert.deepEqual(proxyFailed({ ...words, reason: "address-refused" }).offers, ["direct"]);
  assert.deepEqual(proxyFailed({ ...words, reason: "port-refused" }).offers, []);
  for (const reason of ["timed-out", "toString", undefined]) {
    assert.deepEqual(proxyFailed({ ...words, reason }).offers, ["again", "direct"]);
  }
});

test("a site that forbids framing is offered through the proxy, and can still be shown anyway", () => {
  for (const reason of ["x-frame-options", "frame-ancestors"] as const) {
    const fault = framingFault({ framing: "refused", reason }, "https://a.example/secret?token=1", undefined);
    assert.equal(fault?.title, "This site does not allow framing");
    assert.deepEqual(fault?.offers, ["proxy", "anyway"]);
    assert.ok(!fault?.detail.includes("token"));
  }
});

test("a site that the server cannot reach is reported when the load has ended; one that it may not check, never", () => {
  for (const reason of ["unreachable", "name-not-found", "certificate"] as const) {
    const word = { framing: "unknown", reason } as const;
    assert.equal(framingFault(word, "https://a.example/", undefined), undefined);
    assert.deepEqual(framingFault(word, "https://a.example/", "loaded")?.offers, ["again", "anyway"]);
  }
  for (const reason of ["private-address", null] as const) {
    assert.equal(framingFault({ framing: "unknown", reason }, "https://a.example/", "gave-up"), undefined);
  }
});
