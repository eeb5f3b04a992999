import { OPENID_LIMITS } from "@backplane/contract/accounts";

const HOME = "/";
const NOWHERE = "http://nowhere.invalid";

/** Backslashes read as slashes; white space and control characters are dropped by browsers, and what is left is another address. */
const HAS_TRICKS = /[\\\s\p{C}]/u;
/** What an escape may become where it is undone: a slash, a backslash, a control character, or another escape. */
const HAS_TRICKY_ESCAPES = /%(?:2f|5c|25|[01][0-9a-f]|7f)/i;
/** Going there again would begin anew, and with a provider that asks nothing never end. */
const STARTS_ANEW = /^\/auth\/(?:openid|sign-in)(?:\/|$)/i;

/** The path of this site that a visitor asked to come back to; home, when it is anything else. */
export function localPath(text: string | undefined): string {
  if (text === undefined || text.length > OPENID_LIMITS.maxReturnToLength) return HOME;
  if (!text.startsWith("/") || text.startsWith("//") || HAS_TRICKS.test(text)) return HOME;
  if (!URL.canParse(text, NOWHERE)) return HOME;
  const { origin, pathname, search, hash } = new URL(text, NOWHERE);
  // "/.//elsewhere" is a path until its dots are resolved.
  if (origin !== NOWHERE || pathname.startsWith("//") || HAS_TRICKY_ESCAPES.test(pathname)) return HOME;
  if (STARTS_ANEW.test(pathname)) return HOME;
  return `${pathname}${search}${hash}`;
}
