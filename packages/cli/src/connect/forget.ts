import { openTokenStore } from "@backplane/sdk/tokens";
import { openTerminal, SHAPES } from "../terminal.ts";
import type { ConnectOptions } from "./options.ts";
import { accountName } from "./places.ts";
import { CONNECT_EXIT } from "./refusal.ts";

/** `backplane connect <provider> --forget`. What is not there is forgotten already. */
export async function forgetConnection(
  host: NodeJS.Process,
  provider: string,
  { json, user = accountName() }: ConnectOptions,
): Promise<number> {
  const wasConnected = await openTokenStore().remove(provider, user);
  if (json === true) {
    host.stdout.write(`${JSON.stringify({ event: "forgotten", provider, user, wasConnected })}\n`);
    return CONNECT_EXIT.ok;
  }
  const out = openTerminal(host.stdout);
  const off = out.paint("off", SHAPES.off);
  if (wasConnected) {
    out.line(`${off} The tokens of ${user} for ${provider} are removed from this machine.`);
    out.line("  To take the access itself back, remove the app in your account at the provider.");
  } else {
    out.line(`${off} ${provider} is not connected for ${user}. See what is: backplane connect --list`);
  }
  return CONNECT_EXIT.ok;
}
