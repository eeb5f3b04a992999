import assert from "node:assert/strict";
import { test } from "node:test";
import { writeCommand } from "./write-command.ts";

test("the command has the address of this workspace and no key", () => {
  const command = writeCommand("http://localhost:8790", "/api/workspaces/editor/owner/rover/current/log");
  assert.match(command, /^curl -sS "http:\/\/localhost:8790\/api\/workspaces\/editor\/owner\/rover\/current\/log" /);
  assert.match(command, /"X-Api-Key: \$BACKPLANE_API_KEY"/);
  assert.deepEqual(Object.keys(JSON.parse(/-d '(.*)'$/.exec(command)?.[1] ?? "")), ["source", "level", "message"]);
});
