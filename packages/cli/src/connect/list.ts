import { openTerminal, SHAPES, table } from "../terminal.ts";
import { type Connection, listConnections } from "./connections.ts";
import { tokenFolder } from "./places.ts";
import { CONNECT_EXIT } from "./refusal.ts";
import { endOf } from "./spans.ts";

type Options = { json?: boolean; provider: string | undefined };

/** `backplane connect --list`. */
export async function printConnections(host: NodeJS.Process, { json, provider }: Options): Promise<number> {
  const folder = tokenFolder();
  const connections = (await listConnections(folder)).filter(
    (one) => provider === undefined || one.provider === provider,
  );
  if (json === true) {
    host.stdout.write(`${JSON.stringify({ connections: connections.map(asJson) }, undefined, 2)}\n`);
    return CONNECT_EXIT.ok;
  }
  const out = openTerminal(host.stdout);
  if (connections.length === 0) {
    const what = provider === undefined ? "Nothing is connected." : `${provider} is not connected.`;
    out.line(`${what} Connect with: backplane connect ${provider ?? "<provider>"}`);
    return CONNECT_EXIT.ok;
  }
  const rows = connections.map((one) => [plain(one.provider), plain(one.user), wordsOf(one, Date.now())]);
  for (const [index, line] of table(rows).entries()) {
    const tone = toneOf(connections[index], Date.now());
    out.line(`  ${out.paint(tone, SHAPES[tone])}${line.slice(1)}`);
  }
  out.line();
  out.line(`Tokens are in ${folder}. Remove some with: backplane connect <provider> --forget`);
  return CONNECT_EXIT.ok;
}

const asJson = ({ provider, user, path, kept }: Connection) => ({
  provider,
  user,
  expiresAt: kept === undefined ? null : kept.expiresAtMs,
  refreshable: kept?.isRefreshable ?? false,
  path,
});

function wordsOf({ kept }: Connection, nowMs: number): string {
  if (kept === undefined) return "the file holds no tokens; connect again";
  const end = endOf(kept.expiresAtMs, nowMs);
  if (kept.isRefreshable) return end === "expired" ? "expired; refreshed on use" : `${end}; then refreshed on use`;
  return end === "expired" ? "expired; connect again" : end;
}

function toneOf(connection: Connection | undefined, nowMs: number): "ok" | "off" | "danger" {
  if (connection?.kept === undefined) return "danger";
  const { isRefreshable, expiresAtMs } = connection.kept;
  return isRefreshable || expiresAtMs > nowMs ? "ok" : "off";
}

/** Names come from files: what would steer a terminal stays out of it. */
const plain = (name: string): string => name.replace(/\p{C}/gu, "");
