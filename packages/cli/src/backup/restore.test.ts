import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@backplane/kit/settings";
import { nextStart } from "./restore.ts";

const next = (env: NodeJS.ProcessEnv) => nextStart(env, readSettings(env, "/srv/here"));

test("what was restored is started with the folders that the restore was given", () => {
  assert.equal(next({}), "Start it in this folder with: backplane up");
  const env = { BACKPLANE_HOME: "my home", VIEWER_PROJECT: "/srv/pictures", PROJECTS_FOLDER: "" };
  assert.equal(
    next(env),
    "Start it in this folder with: BACKPLANE_HOME='/srv/here/my home' VIEWER_PROJECT=/srv/pictures backplane up",
  );
});

test("a database is named by its setting: the address may have a password in it", () => {
  const text = next({ DATABASE_URL: "postgres://me:secret@db/lab" });
  assert.equal(text, "Start it in this folder, with the same DATABASE_URL, with: backplane up");
});
