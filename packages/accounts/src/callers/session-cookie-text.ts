import { HOST_SESSION_COOKIE, SESSION_COOKIE } from "@backplane/contract/accounts";

type CookieOptions = { overHttps: boolean };

/** Out of reach for scripts and for every other site. Secure only where people come over https: else it would not come back. */
export const sessionCookie = (token: string, maxAgeS: number, options: CookieOptions): string =>
  cookie(token, maxAgeS, options);

/** Makes the browser drop it. */
export const endedSessionCookie = (options: CookieOptions): string => cookie("", 0, options);

const cookie = (value: string, maxAgeS: number, { overHttps }: CookieOptions): string =>
  `${overHttps ? HOST_SESSION_COOKIE : SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${overHttps ? "; Secure" : ""}`;
