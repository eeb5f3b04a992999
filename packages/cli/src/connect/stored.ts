import { EXIT } from "@backplane/contract/problems";
import { openTokenStore, type TokenEntry } from "@backplane/sdk/tokens";
import { endOf } from "../expiry.ts";
import { runCommand } from "../run.ts";
import { SHAPES, type Terminal, table } from "../terminal.ts";
import { plain } from "../text.ts";
import { accountName, type ConnectOptions, tokenFolder } from "./plan.ts";

/** `backplane connect --list`. */
export const printConnections = (
  host: NodeJS.Process,
  provider: string | undefined,
  options: ConnectOptions,
): Promise<number> => runCommand(host, options, ({ out, json }) => list(host, provider, out, json));

async function list(host: NodeJS.Process, provider: string | undefined, out: Terminal, json: boolean) {
  const store = openTokenStore({ folder: tokenFolder(host) });
  const entries = (await store.list()).filter((one) => provider === undefined || one.provider === provider);
  if (json) {
    const connections = entries.map(({ expiresAt = null, ...entry }) => ({ ...entry, expiresAt }));
    host.stdout.write(`${JSON.stringify({ connections }, undefined, 2)}\n`);
    return EXIT.done;
  }
  if (entries.length === 0) {
    const what = provider === undefined ? "Nothing is connected." : `${provider} is not connected.`;
    out.hint(`${what} Connect with: backplane connect ${provider ?? "<provider>"}`);
    return EXIT.done;
  }
  const nowMs = Date.now();
  const rows = entries.map((entry) => [plain(entry.provider), plain(entry.user), wordsOf(entry, nowMs)]);
  for (const [index, line] of table(rows).entries()) {
    const tone = toneOf(entries[index], nowMs);
    out.line(`  ${out.paint(tone, SHAPES[tone])}${line.slice(1)}`);
  }
  out.line();
  out.hint(`Tokens are in ${store.folder}. Remove them with: backplane connect <provider> --forget`);
  return EXIT.done;
}

function wordsOf({ expiresAt, refreshable }: TokenEntry, nowMs: number): string {
  if (expiresAt === undefined) return "the file contains no tokens; connect again";
  const end = endOf(expiresAt, nowMs);
  if (refreshable) return end === "expired" ? "expired; refreshed on use" : `${end}; then refreshed on use`;
  return end === "expired" ? "expired; connect again" : end;
}

function toneOf(entry: TokenEntry | undefined, nowMs: number): "ok" | "off" | "danger" {
  if (entry?.expiresAt === undefined) return "danger";
  return entry.refreshable || entry.expiresAt > nowMs ? "ok" : "off";
}

/** `backplane connect <provider> --forget`. Not a failure if there is nothing to forget. */
export const forgetConnection = (host: NodeJS.Process, provider: string, options: ConnectOptions): Promise<number> =>
  runCommand(host, options, async ({ answer, out }) => {
    const { user = accountName() } = options;
    const wasConnected = await openTokenStore({ folder: tokenFolder(host) }).remove(provider, user);
    answer({ event: "forgotten", provider, user, wasConnected }, () => {
      const off = out.paint("off", SHAPES.off);
      if (wasConnected) {
        out.line(`${off} The tokens of ${user} for ${provider} are removed from this machine.`);
        out.line("  To revoke the access itself, remove the app in your account at the provider.");
      } else {
        out.hint(`${off} ${provider} is not connected for ${user}. List connections with: backplane connect --list`);
      }
    });
    return undefined;
  });
