import { OWNER } from "./contestants.ts";

/** The cookie of a new session of the owner. */
export async function signIn(url: string): Promise<string> {
  const login = await fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(OWNER),
  });
  const [cookie = ""] = login.headers.getSetCookie()[0]?.split(";") ?? [];
  return cookie;
}
