import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAll, checkField, refusal } from "./account-form.ts";

const fault = (code: string, errors: { pointer: string; message: string }[] = []) => ({
  status: 409,
  code,
  title: "A title",
  detail: undefined,
  errors,
  retryAfterS: undefined,
});

test("an error names the field and gives an example", () => {
  assert.match(checkField("name", "ada king") ?? "", /such as ada\.king/);
  assert.match(checkField("email", "ada") ?? "", /such as ada@/);
  assert.match(checkField("password", "1234567") ?? "", /8 characters or more/);
  assert.deepEqual(checkAll({ name: "ada", email: "ada@fieldworks.example", password: "12345678" }), {});
  assert.deepEqual(Object.keys(checkAll({ name: "", email: "", password: "" })), ["name", "email", "password"]);
});

test("a refusal is assigned to the field that it is about", () => {
  assert.match(refusal(fault("name-taken")).fields.name ?? "", /taken/);
  assert.match(refusal(fault("email-taken")).fields.email ?? "", /has an account/);
  assert.deepEqual(refusal(fault("invalid-input", [{ pointer: "/email", message: "must be an email" }])), {
    fields: { email: "must be an email." },
  });
  assert.deepEqual(refusal(fault("registration-closed")), { fields: {}, other: "A title." });
});
