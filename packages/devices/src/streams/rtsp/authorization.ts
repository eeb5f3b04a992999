import { hash } from "node:crypto";

export type Credentials = { user: string; password: string };
type Challenge = { scheme: "basic" | "digest"; fields: ReadonlyMap<string, string> };

const ALGORITHMS: Readonly<Record<string, string>> = { md5: "md5", "sha-256": "sha256" };
const FIELD = /([a-zA-Z-]{1,32})=(?:"([^"]{0,512})"|([^\s,"]{1,512}))/g;

/** The best of what a camera asks for; undefined: nothing that is known here. Digest keeps the password to itself. */
export function challengeOf(values: readonly string[]): Challenge | undefined {
  const known = values.flatMap((value): Challenge[] => {
    const scheme = /^(basic|digest)\b/i.exec(value)?.[1]?.toLowerCase() as Challenge["scheme"] | undefined;
    if (!scheme) return [];
    const fields = new Map<string, string>();
    for (const [, name = "", quoted, plain] of value.slice(scheme.length).matchAll(FIELD)) {
      fields.set(name.toLowerCase(), quoted ?? plain ?? "");
    }
    const isKnown = scheme === "basic" || algorithmOf(fields) !== undefined;
    return isKnown ? [{ scheme, fields }] : [];
  });
  const isStrong = ({ fields }: Challenge) => algorithmOf(fields) === "sha256";
  const digests = known.filter(({ scheme }) => scheme === "digest");
  return digests.find(isStrong) ?? digests[0] ?? known[0];
}

const algorithmOf = (fields: ReadonlyMap<string, string>): string | undefined =>
  ALGORITHMS[(fields.get("algorithm") ?? "md5").toLowerCase()];

/** The header for a request (RFC 7616, RFC 7617). `count`: how many requests had this challenge, from 1. */
export function authorizationOf(
  { scheme, fields }: Challenge,
  { user, password }: Credentials,
  { method, uri, count, nonce }: { method: string; uri: string; count: number; nonce: string },
): string {
  if (scheme === "basic") return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const digest = (text: string) => hash(algorithmOf(fields) ?? "md5", text, "hex");
  const realm = fields.get("realm") ?? "";
  const theirs = fields.get("nonce") ?? "";
  const hasQop = (fields.get("qop") ?? "").split(",").some((one) => one.trim() === "auth");
  const times = count.toString(16).padStart(8, "0");
  const [who, what] = [digest(`${user}:${realm}:${password}`), digest(`${method}:${uri}`)];
  const response = digest(hasQop ? `${who}:${theirs}:${times}:${nonce}:auth:${what}` : `${who}:${theirs}:${what}`);
  const quoted = { username: user, realm, nonce: theirs, uri, response };
  const parts = Object.entries(quoted).map(([name, value]) => `${name}="${value.replaceAll(/["\\\r\n]/g, "")}"`);
  const opaque = fields.get("opaque");
  if (opaque !== undefined) parts.push(`opaque="${opaque}"`);
  if (fields.has("algorithm")) parts.push(`algorithm=${fields.get("algorithm")}`);
  if (hasQop) parts.push(`qop=auth, nc=${times}, cnonce="${nonce}"`);
  return `Digest ${parts.join(", ")}`;
}
