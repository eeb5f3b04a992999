import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { commandsFor } from "./program.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) })
    .filter((file) => !/\.(test|suite)\.tsx?$|CHANGELOG\.md$|cli\/src\/completion\.ts$/.test(file))
    .sort();

const DOCUMENTS = filesOf("*.md", "docs/**/*.md", "examples/*/README.md", "packages/*/README.md");
const SOURCES = filesOf("packages/{accounts,cli,gateway,kit,platform,viewer,web}/src/**/*.{ts,tsx,js}");

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** In prose "backplane" is followed by anything; a command ends with its quote or line, and a list has two spaces after it. */
const COMMAND = /(?<![\w./@-])backplane ([a-z-][^`"'\n|;&)]*?)(?= {2}|[`"'\n|;&)]|$)/gm;

/** The service runs as a user and group of the same name. */
const commandsIn = (text: string): string[] =>
  [...text.replaceAll(/ -[ugo] backplane(?= )/g, "").matchAll(COMMAND)].map(([, words = ""]) => words);

/** What documents show as code: lines of shell, and code in sentences. */
function codeIn(document: string): string[] {
  const blocks = [...document.matchAll(/^ *```(?:sh)?\n(.*?)^ *```/gms)].map(([, block = ""]) => block);
  const inSentences = [...document.replace(/^ *```.*?^ *```/gms, "").matchAll(/`([^`\n]+)`/g)];
  // What is quoted is an argument.
  return [
    ...blocks.map((block) => block.replace(/"[^"$]*"|'[^']*'/g, "X")),
    ...inSentences.map(([, code = ""]) => code),
  ];
}

/** What pages show: the words after the command. */
const pageCommandsIn = (source: string): string[] =>
  [...source.matchAll(/terminalCommand\(["`]([^"`$]+)|^ +command: "([^"]+)"/gm)].map(([, a, b]) => a ?? b ?? "");

/** Why a person who pastes this gets no further than the usage; undefined if it is a command. */
function faultOf(program: Command, line: string): string | undefined {
  let command = program;
  for (const word of line.split(/\s+/).map((each) => each.replace(/[.,:]+$/, ""))) {
    const [option = ""] = word.split("=");
    if (option.startsWith("--")) {
      const known = [...command.options.map(({ long }) => long), "--help"];
      if (!known.includes(option)) return `${command.name()} has no option ${option}`;
    } else if (command.commands.length > 0 && /^[a-z]/.test(word)) {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined) return `${command.name()} has no command ${word}`;
      command = next;
    }
  }
  return undefined;
}

test("every command in documents, messages and pages exists, with its options", async () => {
  const program = await commandsFor(process);
  const shown = [
    ...DOCUMENTS.flatMap((file) =>
      codeIn(read(file)).flatMap((code) => commandsIn(code).map((line) => ({ file, line }))),
    ),
    ...SOURCES.flatMap((file) => commandsIn(read(file)).map((line) => ({ file, line }))),
    ...SOURCES.flatMap((file) => pageCommandsIn(read(file)).map((line) => ({ file, line }))),
    // The name of a session, and prose.
  ].filter(({ line }) => !/^(on|command)\b/.test(line));
  assert.ok(shown.length > 150, `${shown.length} commands were found`);
  const faults = shown.flatMap(({ file, line }) => {
    const fault = faultOf(program, line);
    return fault === undefined ? [] : [`${file}: backplane ${line}: ${fault}`];
  });
  assert.deepEqual(faults, []);
});

test("nothing suggests npx for our command: outside a clone it would run a stranger's program of that name", () => {
  const files = [...DOCUMENTS, ...SOURCES].filter((file) => !file.endsWith("0019-one-tarball.md"));
  const suggesting = files.filter((file) => /npx\b(?:[^\n]*[\s"/])?backplane\b|"command": "npx"/.test(read(file)));
  assert.deepEqual(suggesting, []);
});
