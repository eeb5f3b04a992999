import assert from "node:assert/strict";
import { test } from "node:test";
import { eventWords, needsOf } from "./latest-words.ts";

test("an event is a sentence about its person; the reader is You, and a name that is not told is left out", () => {
  const said = (...[event, reader]: Parameters<typeof eventWords>) =>
    Object.values(eventWords(event, reader)).filter(Boolean).join(" ");
  assert.equal(
    said({ by: "mara", kind: "publish", what: "com.a.pins 2.4.0" }, "ada"),
    "mara published com.a.pins 2.4.0",
  );
  assert.equal(said({ by: "mara", kind: "publish", what: "" }, "ada"), "mara published a private package");
  assert.equal(said({ by: "ada", kind: "connect", what: "" }, "ada"), "You let a program in");
  assert.equal(said({ by: "", kind: "workspace", what: "ada/oven" }, "ada"), "Somebody created the workspace ada/oven");
  assert.equal(said({ by: "ada", kind: "invite", what: "priya" }, "ada"), "You invited priya");
  assert.equal(said({ by: "ada", kind: "key", what: "bench" }, "ada"), "You created the key bench");
});

test("faults need the owner before warnings, and those before invitations; what is fine needs nobody", () => {
  const needs = needsOf(
    [
      { check: "disk", state: "ok", says: "Enough room" },
      {
        check: "quotas",
        state: "warning",
        says: "Nearly full",
        cost: "Soon nobody can save.",
        fix: "Delete something.",
      },
      { check: "database", state: "fault", says: "No answer", fix: "Start it." },
      { check: "ocr", state: "note", says: "Not installed" },
    ],
    [{ owner: "mara", repo: "oven" }],
  );
  assert.deepEqual(
    needs.map(({ tone, title, detail, page }) => [tone, title, detail, page]),
    [
      ["danger", "No answer", "Start it.", "/system"],
      ["warn", "Nearly full", "Soon nobody can save.", "/system"],
      ["warn", "mara shares the workspace oven with you", "Accept or decline it.", "/workspaces"],
    ],
  );
});
