/** Text from outside, fit to show: one line, bounded, and without the secrets that some providers repeat. */
export function plainText(text: string, maxLength: number, secrets: readonly string[] = []): string {
  const open = secrets.filter((secret) => secret !== "").reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const line = open.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`;
}
