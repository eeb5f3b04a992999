import type { Command } from "commander";
import { seconds } from "./ages.ts";

const EXIT_HELP = "Exit codes: 0 done, 1 not signed in or failed, 2 wrong usage or settings, 130 ended with Ctrl-C.";

const TOKEN_HELP = `
With BACKPLANE_TOKEN in the environment, a session token or an API key, that is used instead of what login has kept.
It is sent to --url or to BASE_URL of the environment; one in .env is not enough.
${EXIT_HELP}`;

/** `backplane login`, `whoami`, `sessions` and `logout`: what any third party does with the sdk, from a terminal. */
export function addLoginCommands(program: Command): void {
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option("--url <url>", "Backplane's address (default: BASE_URL, else http://localhost:8790)")
      .option("--allow-http", "allow an address without https on another machine")
      .option("--json", "print JSON");

  add("login", "sign this account in to a Backplane, in a browser")
    .option("--name <name>", "what the approval page and the list of sessions call this (default: backplane on HOST)")
    .option("--max-age <age>", "how long the session lives, such as 90d, 12h, 30m or seconds (default: 90d)", seconds)
    .option("--no-browser", "print the address only; do not open a browser")
    .addHelpText(
      "after",
      `
Prints an address and a code. Open the address in any browser, compare the code, approve.
The session is kept in ~/.backplane/sessions/, for this account only. It is never printed.
${EXIT_HELP}`,
    )
    .action(async (options) => {
      const { login } = await import("./login.ts");
      process.exitCode = await login(process, options);
    });

  add("whoami", "print who is signed in, by what, and until when")
    .addHelpText("after", TOKEN_HELP)
    .action(async (options) => {
      const { whoami } = await import("./whoami.ts");
      process.exitCode = await whoami(process, options);
    });

  add("sessions", "print where you are signed in, or end one of these sessions")
    .option("--end <id>", "end the session with this id, or the first characters of it")
    .addHelpText("after", TOKEN_HELP)
    .action(async (options) => {
      const { sessions } = await import("./sessions.ts");
      process.exitCode = await sessions(process, options);
    });

  add("logout", "end the session that login has made, and forget it here")
    .option("--force", "forget it here also when Backplane does not answer")
    .addHelpText("after", `\n${EXIT_HELP}`)
    .action(async (options) => {
      const { logout } = await import("./logout.ts");
      process.exitCode = await logout(process, options);
    });
}
