/** Text from outside, safe to show: one line, limited in length, without the secrets that some servers repeat. */
export function plainText(text: string, maxLength: number, secrets: readonly string[] = []): string {
  const forms = secrets.filter((secret) => secret !== "").flatMap((secret) => [secret, formEncoded(secret)]);
  const open = forms.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const line = open.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`;
}

/** In the encoding of a form, because a provider may repeat what it was sent. */
export const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice("v=".length);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined if it is not JSON: the message of the error would quote the text, which may contain a secret. */
export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const shownTime = (ms: number): string => (ms >= 60_000 ? `${Math.round(ms / 60_000)} min` : `${ms / 1_000} s`);

/** The given values as a query, with its question mark; empty if there are none. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
