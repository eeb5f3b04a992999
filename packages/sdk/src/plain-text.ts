/** Text from outside, fit to show: one line, bounded, and without the secrets that some providers repeat. */
export function plainText(text: string, maxLength: number, secrets: readonly string[] = []): string {
  const forms = secrets.filter((secret) => secret !== "").flatMap((secret) => [secret, formEncoded(secret)]);
  const open = forms.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const line = open.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`;
}

/** As it is written in a form, where a provider that repeats what it was sent has it from. */
export const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice("v=".length);
