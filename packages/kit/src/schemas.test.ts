import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { bodyChecker } from "./schemas.ts";

const Status = Type.Union([Type.Literal("stable"), Type.Literal("testing"), Type.Literal("deprecated")]);

test("when a value is not one of several, the message lists all of them", () => {
  const faultsOf = bodyChecker(Type.Object({ status: Status, always: Type.Literal(true) }));
  assert.deepEqual(faultsOf({ status: "gone", always: false }), [
    { pointer: "/status", message: "must be one of stable, testing, deprecated" },
    { pointer: "/always", message: "must be true" },
  ]);
  assert.deepEqual(faultsOf({ status: "testing", always: true }), []);
});
