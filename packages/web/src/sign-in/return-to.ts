const HOME = "/";
const SIGN_IN_PAGE = "/auth/sign-in";

/** Where to go after signing in: always an address on this server, whatever the link says. */
export function safeReturnTo(value: string | null, origin: string): string {
  if (value === null || !URL.canParse(value, origin)) return HOME;
  // "//other.example" and "/\other.example" are addresses of other servers.
  if (!/^\/(?![/\\])/.test(value)) return HOME;
  const url = new URL(value, origin);
  if (url.origin !== origin || url.pathname === SIGN_IN_PAGE) return HOME;
  // A path such as "/..//other.example" may begin with two slashes only once it is resolved.
  return url.pathname.startsWith("//") ? HOME : url.pathname + url.search + url.hash;
}

/** The address of the sign-in page that returns here. */
export const signInAddress = (returnTo: string): string =>
  returnTo === HOME ? SIGN_IN_PAGE : `${SIGN_IN_PAGE}?${new URLSearchParams({ return_to: returnTo })}`;
