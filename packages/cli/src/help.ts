import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { EXIT } from "@backplane/contract/problems";
import type { Command } from "commander";
import { runCommand } from "./run.ts";
import { commandSettings } from "./running.ts";
import { TOPICS } from "./topics.ts";

/** `backplane help`: the help of a command, or a guide. Returns the exit code. */
export async function help(host: NodeJS.Process, program: Command, words: readonly string[]): Promise<number> {
  const command = words.reduce<Command | undefined>(
    (found, word) => found?.commands.find((each) => each.name() === word),
    program,
  );
  if (command !== undefined) {
    command.outputHelp();
    return EXIT.done;
  }
  const name = words.join(" ");
  const topic = TOPICS.find((each) => each.name === name);
  if (topic === undefined) program.error(`error: there is no command or topic '${name}'`);
  return await runCommand(host, {}, async ({ out }) => {
    out.hint(guideFor(host, topic));
    return undefined;
  });
}

/** To a place in the project. */
const LINK = /\[([^\][]*)\]\((?!https?:)([^)]*)\)/g;

/** A guide as it is right for the Backplane that commands use, without what a terminal cannot show. */
function guideFor(host: NodeJS.Process, { file, section }: (typeof TOPICS)[number]): string {
  const { baseUrl, gatewayUrl, viewerUrl, watchdogPort } = commandSettings(host);
  const whole = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
  const text = section === undefined ? whole : (whole.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? whole);
  return text
    .replace(/^!\[[^\]]*\]\([^)]*\)\n\n/gm, "")
    .replace(/^```mermaid\n[^`]*```\n\n/gm, "")
    .replace(LINK, (_, words: string, to: string) => withTarget(words, file, to))
    .replaceAll("http://localhost:8790", baseUrl)
    .replaceAll("http://localhost:8795", gatewayUrl)
    .replaceAll("http://localhost:8796", `http://localhost:${watchdogPort}`)
    .replaceAll("http://localhost:8770", viewerUrl)
    .trim();
}

/** A link in words: to another guide its command, to a file its path in the project; this page is on the screen already. */
function withTarget(words: string, file: string, to: string): string {
  if (to.startsWith("#")) return words;
  const path = posix.join(posix.dirname(file), to.split("#", 1)[0] ?? "");
  const guide = TOPICS.find((topic) => topic.file === path && topic.section === undefined);
  return `${words} (${guide ? `backplane help ${guide.name}` : path})`;
}
