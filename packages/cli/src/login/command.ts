import { MAX_MAX_AGE_S, MIN_MAX_AGE_S } from "@backplane/contract/intents";
import { type Command, InvalidArgumentError } from "commander";
import { action } from "../command.ts";

const TOKEN_HELP = `
If BACKPLANE_TOKEN is set to a session token or an API key, it is used instead of the session from backplane login.
It is sent to --url, or to BASE_URL of the environment, or to the Backplane that you run here; BASE_URL in a .env file is not
enough.`;

/** `backplane login`, `whoami`, `sessions` and `logout`: what any program can do with the sdk, from a terminal. */
export function addLoginCommands(program: Command): void {
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option(
        "--url <url>",
        "Backplane's address (default: BASE_URL, or the one that runs here, or http://localhost:8790)",
      )
      .option("--allow-http", "allow an address without https on another machine")
      .option("--json", "print JSON");

  add("login", "sign in to a Backplane, with a browser")
    .option("--name <name>", "the name of this session, for the approval page and lists (default: backplane on HOST)")
    .option(
      "--max-age <age>",
      "how long the session is valid, such as 90d, 12h, 30m or seconds (default: 90d)",
      seconds,
    )
    .option("--no-browser", "only print the address; do not open a browser")
    .addHelpText(
      "after",
      `
Prints an address and a code. Open the address in any browser, compare the code, and approve.
The session is stored in ~/.backplane/sessions/, readable by this account only. It is never printed.`,
    )
    .action(action(async () => (await import("./login.ts")).login));

  add("whoami", "print who is signed in, how, and until when")
    .addHelpText("after", TOKEN_HELP)
    .action(action(async () => (await import("./session-commands.ts")).whoami));

  add("sessions", "list your sessions, or end one of them")
    .option("--end <id>", "end the session whose id is or begins with this")
    .addHelpText("after", TOKEN_HELP)
    .action(action(async () => (await import("./session-commands.ts")).sessions));

  add("logout", "end the session from backplane login, and forget it here")
    .option("--force", "forget it here even if Backplane does not answer")
    .action(action(async () => (await import("./session-commands.ts")).logout));
}

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** `90d`, `12h`, `30m`, `3600s` or `3600` as seconds. */
function seconds(text: string): number {
  const [, count, unit = "s"] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const value = Number(count) * UNITS[unit as keyof typeof UNITS];
  if (!(value >= MIN_MAX_AGE_S && value <= MAX_MAX_AGE_S)) {
    throw new InvalidArgumentError("Use a time from 60s to 365d, such as 90d, 12h or 30m.");
  }
  return value;
}
