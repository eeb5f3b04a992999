// A person with a browser, as a script: signs in, reads the request, and decides.

type Person = { baseUrl: string; name: string; password: string };

/** What the page shows about the request. */
type Asked = { app_name: string | null; confirmation_code: string };

export async function signInAsPerson({ baseUrl, name, password }: Person) {
  const login = await fetch(`${baseUrl}/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl },
    body: JSON.stringify({ name, password }),
  });
  if (!login.ok) throw new Error(`${name} could not sign in: HTTP ${login.status}.`);
  const cookie = login.headers.getSetCookie().map((line) => line.split(";")[0]);
  // Browsers send their origin by themselves. Requests without one, or from another site, are refused.
  const headers = { cookie: cookie.join("; "), origin: baseUrl, "content-type": "application/json" };

  const intentOf = (link: string) => `${baseUrl}/auth/intents/${new URL(link).searchParams.get("token")}`;
  return {
    async look(link: string): Promise<Asked> {
      const response = await fetch(`${intentOf(link)}/request`, { headers });
      return (await response.json()) as Asked;
    },
    async answer(link: string, decision: "approve" | "deny"): Promise<number> {
      const response = await fetch(intentOf(link), { method: "PATCH", headers, body: JSON.stringify({ decision }) });
      await response.body?.cancel();
      return response.status;
    },
  };
}
