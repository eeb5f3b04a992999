import { readFileSync } from "node:fs";
import { doesRead, type Part } from "@backplane/kit/parts";
import { SETTING_NAMES } from "@backplane/kit/settings";
import type { Command } from "commander";

const WHAT: Readonly<Record<Part, string>> = {
  platform:
    "Runs the web pages, sign-in, packages and workspaces, as backplane up does, without the other processes. Several platforms need the same DATABASE_URL, REDIS_URL and ARCHIVES_URL.",
  gateway:
    "Without a command, runs a gateway alone, as the watchdog does; a service manager restarts it. Several gateways need the same REDIS_URL.",
  watchdog:
    "Runs the watchdog, which starts a gateway, checks it and restarts it, as backplane up does, without the other processes. It passes its settings on to the gateway.",
  viewer:
    "Without a command, runs the viewer of one project alone, as backplane up does. With one, works on its screenshots.",
};

const RUNNING =
  "It runs until Ctrl-C or SIGTERM. While it stops, GET /ready is 503; with DRAIN_DELAY_S it first serves on for that time. GET /health says whether it is alive, /ready whether to send it requests. Its log goes to standard output: JSON lines, or text in a terminal. Settings that do not fit together are warnings there. The exit code is 2 for wrong settings, 1 when it cannot start.";

const WIDTH = 110;
const NAME_WIDTH = 28;

/** What the part does when it runs alone, and the settings that it reads, in the words of the README. */
export function partHelp(command: Command, part: Part): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: WIDTH });
  const settings = readSettingTexts()
    .filter(({ name }) => doesRead(part, name))
    .map(({ name, meaning }) => help.formatItem(name, NAME_WIDTH, meaning, help));
  return [
    "",
    help.boxWrap(WHAT[part], WIDTH),
    help.boxWrap(RUNNING, WIDTH),
    "",
    "Settings of this process, from the environment or from .env in the working folder:",
    ...settings,
  ].join("\n");
}

/** The rows of the README's table of settings. A test compares its names with those of the code. */
function readSettingTexts() {
  const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
  return SETTING_NAMES.flatMap((name) => {
    const [, fallback = "", meaning = ""] =
      new RegExp(`^\\| \`${name}\` \\| ?(.*?) ?\\| ?(.*?) ?\\|$`, "m").exec(readme) ?? [];
    const sentence = [meaning, fallback === "" ? "" : `(default: ${fallback})`].filter(Boolean).join(" ");
    return [{ name, meaning: sentence.replaceAll("`", "") }];
  });
}
