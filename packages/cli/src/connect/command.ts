import { type Command, InvalidArgumentError, Option } from "commander";
import type { ConnectOptions } from "./options.ts";

/** The gateway waits no longer than this for an answer. */
const MAX_TIMEOUT_S = 600;

type Given = ConnectOptions & { list?: boolean; forget?: boolean };

/** `backplane connect`: what any third party does with the sdk, from a terminal. */
export function addConnectCommand(program: Command): void {
  const command: Command = program
    .command("connect")
    .argument("[provider]", "a name of yours for the provider, such as google")
    .description("connect this account to an OAuth provider through the gateway")
    .option(
      "--credentials <file>",
      "JSON with clientId, and clientSecret, clientAuth, issuer, authUrl, tokenUrl, scopes, extraParams as needed",
    )
    .option("--issuer <url>", "the provider's issuer; the rest is looked up there (OpenID discovery)")
    .option("--auth-url <url>", "where the provider asks its users")
    .option("--token-url <url>", "where it exchanges codes for tokens")
    .option("--scopes <scopes>", "what to ask for, separated by spaces")
    .option("--param <name=value>", "one more parameter for --auth-url; may be repeated", collect)
    .addOption(new Option("--client-auth <how>", "how the secret is sent").choices(["post", "basic"]))
    .option("--user <name>", "whose tokens these are (default: your user name)")
    .option("--gateway <url>", "the gateway's address (default: GATEWAY_URL)")
    .option("--timeout <seconds>", "how long to wait for the answer", seconds, MAX_TIMEOUT_S)
    .option("--no-open", "print the address only; do not open a browser")
    .option("--json", "print a line of JSON a step")
    .option("--list", "print what is connected")
    .option("--forget", "remove the provider's tokens from this machine")
    .addHelpText(
      "after",
      `
Without --credentials it reads ~/.backplane/credentials/<provider>.json, and says what to write there.
Tokens are kept in ~/.backplane/tokens/, for this account only. They are never printed.
Exit codes: 0 connected, 1 not connected, 2 wrong usage, settings or credentials,
3 the gateway does not answer, 130 ended with Ctrl-C.`,
    );

  command.action(async (provider: string | undefined, { list, forget, ...options }: Given) => {
    const { refusalOf, tell } = await import("./refusal.ts");
    const run = async (): Promise<number> => {
      if (list === true) return (await import("./list.ts")).printConnections(process, { ...options, provider });
      if (provider === undefined || provider.trim() === "") {
        command.error("error: name the provider, such as: backplane connect google", { exitCode: 1 });
      }
      if (forget === true) return (await import("./forget.ts")).forgetConnection(process, provider, options);
      return (await import("./connect.ts")).connect(process, provider, options);
    };
    process.exitCode = await run().catch((error) => tell(process, options.json === true, refusalOf(error)));
  });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_TIMEOUT_S) {
    throw new InvalidArgumentError(`Use whole seconds from 1 to ${MAX_TIMEOUT_S}.`);
  }
  return value;
}

function collect(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Use name=value, such as access_type=offline.");
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}
