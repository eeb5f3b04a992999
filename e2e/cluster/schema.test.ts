import assert from "node:assert/strict";
import { test } from "node:test";
import { type Column, checkOnlyAdded } from "./schema.ts";

const column = (name: string, more: Partial<Column> = {}): Column => {
  const [table_name = "", column_name = ""] = name.split(".");
  return { table_name, column_name, data_type: "text", is_nullable: "NO", has_default: false, ...more };
};
const schema = (...columns: Column[]) => ({ migrations: [], columns });
const optional = column("users.email", { is_nullable: "YES" });
const before = schema(column("users.id"), optional);

test("a release may add tables, and columns that old processes can leave out", () => {
  const note = column("users.note", { is_nullable: "YES" });
  const count = column("users.count", { has_default: true });
  checkOnlyAdded(before, schema(...before.columns, column("backups.id"), note, count));
});

test("a release may not remove, change or demand what old processes use", () => {
  const after =
    (...columns: Column[]) =>
    () =>
      checkOnlyAdded(before, schema(...columns));
  assert.throws(after(column("users.id")), /users\.email was removed/);
  assert.throws(after(column("users.id", { data_type: "bigint" }), optional), /users\.id has another type/);
  assert.throws(after(column("users.id"), column("users.email")), /users\.email is needed now/);
  assert.throws(after(...before.columns, column("users.note")), /users\.note is new and needed/);
});
