import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import { PANEL_TOOLS } from "./tools.ts";

test("what is not the path of a file leads to no other call", async () => {
  const workspace = { owner: "ann", repo: "rover", page: "", call: async () => assert.fail("It was called.") };
  const change = { etag: '"a"', edits: [{ do: "remove", uuid: "a" }] };
  const tools = PANEL_TOOLS.tools.filter(({ name }) => name.startsWith("schematic_"));
  assert.equal(tools.length, 4);
  for (const tool of tools)
    for (const path of [".", "..", "../tabs", "a/../../files", "/a", "a//b", "\ud800"])
      await assert.rejects(
        async () =>
          tool.run(
            workspace,
            { path, ...(tool.name === "schematic_edit" ? change : {}) },
            new AbortController().signal,
          ),
        (error) => error instanceof Problem && error.code === "file-name-refused",
        `${tool.name} ${path}`,
      );
});
