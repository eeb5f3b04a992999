import { openTokenStore, type TokenEntry } from "@backplane/sdk/tokens";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import { plain } from "./plain.ts";
import { CONNECT_EXIT } from "./refusal.ts";
import { endOf } from "./spans.ts";

type Options = { json?: boolean; provider: string | undefined };

/** `backplane connect --list`. */
export async function printConnections(host: NodeJS.Process, { json, provider }: Options): Promise<number> {
  const store = openTokenStore();
  const entries = (await store.list()).filter((one) => provider === undefined || one.provider === provider);
  if (json === true) {
    const connections = entries.map(({ expiresAt = null, ...entry }) => ({ ...entry, expiresAt }));
    host.stdout.write(`${JSON.stringify({ connections }, undefined, 2)}\n`);
    return CONNECT_EXIT.ok;
  }
  const out = openTerminal(host.stdout);
  if (entries.length === 0) {
    const what = provider === undefined ? "Nothing is connected." : `${provider} is not connected.`;
    out.line(`${what} Connect with: backplane connect ${provider ?? "<provider>"}`);
    return CONNECT_EXIT.ok;
  }
  const nowMs = Date.now();
  const rows = entries.map((entry) => [plain(entry.provider), plain(entry.user), wordsOf(entry, nowMs)]);
  for (const [index, line] of table(rows).entries()) {
    const tone = toneOf(entries[index], nowMs);
    out.line(`  ${out.paint(tone, SHAPES[tone])}${line.slice(1)}`);
  }
  out.line();
  out.line(`Tokens are in ${store.folder}. Remove some with: backplane connect <provider> --forget`);
  return CONNECT_EXIT.ok;
}

function wordsOf({ expiresAt, refreshable }: TokenEntry, nowMs: number): string {
  if (expiresAt === undefined) return "the file holds no tokens; connect again";
  const end = endOf(expiresAt, nowMs);
  if (refreshable) return end === "expired" ? "expired; refreshed on use" : `${end}; then refreshed on use`;
  return end === "expired" ? "expired; connect again" : end;
}

function toneOf(entry: TokenEntry | undefined, nowMs: number): "ok" | "off" | "danger" {
  if (entry?.expiresAt === undefined) return "danger";
  return entry.refreshable || entry.expiresAt > nowMs ? "ok" : "off";
}
