import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, problemBody } from "./problems.ts";

test("a problem renders as RFC 9457 with its stable code, the faulty fields, and an error text for older programs", () => {
  const problem = new Problem("invalid-input", {
    detail: "max_age must be a whole number.",
    errors: [{ pointer: "/max_age", message: "must be integer" }],
  });
  assert.deepEqual(problemBody(problem, "request-1"), {
    type: "urn:backplane:problem:invalid-input",
    title: "The request has invalid fields",
    status: 422,
    detail: "max_age must be a whole number.",
    error: "The request has invalid fields",
    instance: "request-1",
    code: "invalid-input",
    errors: [{ pointer: "/max_age", message: "must be integer" }],
  });
});

test("the cause stays out of what a caller sees", () => {
  const body = problemBody(new Problem("internal-error", { cause: new Error("password=canary") }), "request-2");
  assert.doesNotMatch(JSON.stringify(body), /canary/);
});
