import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { commandsFor, GROUPS } from "./program.ts";

const namesOf = ({ commands }: Command): string[] => commands.map((command) => command.name());

test("each group adds the commands of its names", async () => {
  for (const { names, load } of GROUPS) {
    const program = new Command();
    (await load())(program);
    assert.deepEqual(namesOf(program), names);
  }
});

test("a command line loads the group of its command, none for its version, and all for help and misspelt words", async () => {
  const declaredHere = await commandsFor(process, ["version"]).then(namesOf);
  const every = await commandsFor(process).then(namesOf);
  assert.ok(!declaredHere.includes("viewer") && declaredHere.includes("up"));
  assert.deepEqual(
    every.filter((name) => !declaredHere.includes(name)),
    GROUPS.flatMap(({ names }) => names),
  );
  assert.ok((await commandsFor(process, ["viewer", "list"])).commands.some((command) => command.name() === "viewer"));
  assert.equal((await commandsFor(process, ["viewer", "list"])).commands.length, declaredHere.length + 1);
  for (const words of [["help"], ["--help"], ["viever"], ["completion", "bash"]]) {
    assert.deepEqual(await commandsFor(process, words).then(namesOf), every, words.join(" "));
  }
});
