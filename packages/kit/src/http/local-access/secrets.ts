import { createHash, timingSafeEqual } from "node:crypto";

export function bearerToken(authorization: string | string[] | undefined): string | undefined {
  return typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
}

/** In constant time, whatever the lengths. */
export function isSameSecret(sent: string, kept: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(kept));
}
