/** The bytes; undefined when this is not their only spelling, so that no two texts stand for the same bytes. */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
