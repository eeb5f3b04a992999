import { REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import { type Command, InvalidArgumentError, Option } from "commander";
import { action, number } from "../command.ts";
import type { ConnectOptions } from "./plan.ts";

/** The gateway does not wait longer for an answer. */
const MAX_TIMEOUT_S = REGISTRATION_LIFE_MS / 1_000;

type Given = ConnectOptions & { list?: boolean; forget?: boolean };

/** `backplane connect`: what any program can do with the sdk, from a terminal. */
export function addConnectCommand(program: Command): void {
  const command: Command = program
    .command("connect")
    .argument("[provider]", "your name for the provider, such as google")
    .description("connect this account to an OAuth provider through the gateway")
    .option(
      "--credentials <file>",
      "JSON with clientId, and clientSecret, clientAuth, issuer, authUrl, tokenUrl, scopes, extraParams as needed",
    )
    .option("--issuer <url>", "the provider's issuer; its addresses are looked up there (OpenID discovery)")
    .option("--auth-url <url>", "the provider's authorization URL")
    .option("--token-url <url>", "the provider's token URL")
    .option("--scopes <scopes>", "the scopes to ask for, separated by spaces")
    .option("--param <name=value>", "an extra parameter for --auth-url; can be repeated", collect)
    .addOption(new Option("--client-auth <how>", "how the secret is sent").choices(["post", "basic"]))
    .option("--user <name>", "whose tokens these are (default: your user name)")
    .option("--gateway <url>", "the gateway's address (default: GATEWAY_URL)")
    .option("--timeout <seconds>", "how long to wait for the answer", number({ max: MAX_TIMEOUT_S }), MAX_TIMEOUT_S)
    .option("--no-open", "only print the address; do not open a browser")
    .option("--json", "print one line of JSON per step")
    .option("--list", "list the connected providers")
    .option("--forget", "remove the provider's tokens from this machine")
    .addHelpText(
      "after",
      `
Without --credentials it reads ~/.backplane/credentials/<provider>.json, or prints what to write there.
Tokens are stored in ~/.backplane/tokens/, readable by this account only. They are never printed.`,
    );

  command
    .hook("preAction", () => {
      const isNamed = (command.args[0] ?? "").trim() !== "";
      if (!isNamed && command.opts<Given>().list !== true) {
        command.error("error: name the provider, such as: backplane connect google");
      }
    })
    .action(
      action(async () => {
        const [{ connect }, { forgetConnection, printConnections }] = await Promise.all([
          import("./connect.ts"),
          import("./stored.ts"),
        ]);
        return (host, provider, { list, forget, ...options }: Given) => {
          if (list === true) return printConnections(host, provider, options);
          return forget === true ? forgetConnection(host, provider, options) : connect(host, provider, options);
        };
      }),
    );
}

function collect(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Use name=value, such as access_type=offline.");
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}
