import { OPENID_LIMITS } from "@backplane/contract/accounts";

const HOME = "/";
const NOWHERE = "http://nowhere.invalid";

/** Browsers read backslashes as slashes and drop white space and control characters, which can lead to another address. */
const HAS_TRICKS = /[\\\s\p{C}]/u;
/** Escapes of a slash, a backslash, a control character, or of another escape. */
const HAS_TRICKY_ESCAPES = /%(?:2f|5c|25|[01][0-9a-f]|7f)/i;
/** Going there would start the sign-in again, in an endless loop with a provider that does not ask. */
const STARTS_AGAIN = /^\/auth\/(?:openid|sign-in)(?:\/|$)/i;

/** The path on this site to return to; the home page when the text is anything else. */
export function localPath(text: string | undefined): string {
  if (text === undefined || text.length > OPENID_LIMITS.maxReturnToLength) return HOME;
  if (!text.startsWith("/") || text.startsWith("//") || HAS_TRICKS.test(text)) return HOME;
  if (!URL.canParse(text, NOWHERE)) return HOME;
  const { origin, pathname, search, hash } = new URL(text, NOWHERE);
  // "/.//elsewhere" is a path until its dots are resolved.
  if (origin !== NOWHERE || pathname.startsWith("//") || HAS_TRICKY_ESCAPES.test(pathname)) return HOME;
  if (STARTS_AGAIN.test(pathname)) return HOME;
  return `${pathname}${search}${hash}`;
}
