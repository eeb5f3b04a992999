import { OAuthError } from "@backplane/sdk";
import { openTokenStore } from "@backplane/sdk/tokens";
import { openTerminal, SHAPES } from "../terminal.ts";
import { listConnections } from "./connections.ts";
import type { ConnectOptions } from "./options.ts";
import { accountName, tokenFolder } from "./places.ts";
import { CONNECT_EXIT, tell } from "./refusal.ts";

/** `backplane connect <provider> --forget`. What is not there is forgotten already. */
export async function forgetConnection(
  host: NodeJS.Process,
  provider: string,
  { json, user = accountName() }: ConnectOptions,
): Promise<number> {
  const folder = tokenFolder();
  const isKept = (await listConnections(folder)).some((one) => one.provider === provider && one.user === user);
  try {
    if (isKept) await openTokenStore({ folder }).remove(provider, user);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return tell(host, json === true, { code: error.code, message: error.message, exit: CONNECT_EXIT.failed });
  }
  if (json === true) {
    host.stdout.write(`${JSON.stringify({ event: "forgotten", provider, user, wasConnected: isKept })}\n`);
    return CONNECT_EXIT.ok;
  }
  const out = openTerminal(host.stdout);
  if (isKept) {
    out.line(`${out.paint("off", SHAPES.off)} The tokens of ${user} for ${provider} are removed from this machine.`);
    out.line("  To take the access itself back, remove the app in your account at the provider.");
  } else {
    out.line(
      `${out.paint("off", SHAPES.off)} ${provider} is not connected for ${user}. See what is: backplane connect --list`,
    );
  }
  return CONNECT_EXIT.ok;
}
