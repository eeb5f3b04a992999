import assert from "node:assert/strict";
import { test } from "node:test";
import { createOwnerNames } from "./owners.ts";

const MINUTE_MS = 60_000;

test("a name that another account took no longer belongs to the previous one", async () => {
  const accounts = new Map([["id-1", "Ada"]]);
  let nowMs = 0;
  const names = createOwnerNames({ nameOf: async (id) => accounts.get(id) }, () => nowMs);
  const ids = new Set(["id-1", "id-2"]);
  assert.equal(await names.idOf("ada", ids), "id-1");
  accounts.delete("id-1");
  accounts.set("id-2", "ada");
  nowMs += MINUTE_MS;
  assert.equal(await names.idOf("ada", ids), "id-2");
  assert.equal(await names.nameOf("id-1"), "");
  assert.equal(await names.idOf("", ids), undefined, "who is gone is not found by having no name");
});

test("known names are used while accounts cannot be read", async () => {
  let isAway = false;
  let nowMs = 0;
  const nameOf = async (id: string) => {
    if (isAway) throw new Error("away");
    return `name of ${id}`;
  };
  const names = createOwnerNames({ nameOf }, () => nowMs);
  await names.nameOf("id-1");
  isAway = true;
  nowMs += MINUTE_MS;
  assert.equal(await names.nameOf("id-1"), "name of id-1");
  await assert.rejects(names.nameOf("id-2"), /away/);
});
