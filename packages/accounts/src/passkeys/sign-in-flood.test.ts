import assert from "node:assert/strict";
import { test } from "node:test";
import { OPENID_LIMITS, PASSKEY_LIMITS } from "@backplane/contract/accounts";
import type { App } from "@backplane/kit/http";
import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { serveOpenid } from "../openid/routes.ts";
import { servePasskeys } from "./routes.ts";
import { startSite } from "./site.suite.ts";

const OPENID = { issuer: "https://provider.example", clientId: "id", clientSecret: undefined, name: "Example" };

// Each of these calls stores something for minutes, and an IPv6 network has more addresses than there is memory.
test("an IPv6 /64 network has no more sign-in attempts than one address", async (t) => {
  const apps: App[] = [];
  await startSite(t, openFreshSqlite, (app, parts, baseUrl) => {
    apps.push(app);
    servePasskeys(app, parts);
    serveOpenid(app, { ...parts, openid: OPENID, openRegistration: false, baseUrl, fetch });
  });
  const flood = async (method: "GET" | "POST", url: string, limit: number) => {
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i <= limit; i += 1) {
      const remoteAddress = `2001:db8:0:1::${i.toString(16)}`;
      statuses.push(
        (await apps[0]?.inject({ method, url, remoteAddress, headers: { host: "localhost" } }))?.statusCode,
      );
    }
    return [statuses.at(-2), statuses.at(-1)];
  };
  assert.deepEqual(await flood("POST", "/auth/passkeys/sign-in/options", PASSKEY_LIMITS.signInsPerMinute), [200, 429]);
  assert.deepEqual(await flood("GET", "/auth/openid/callback", OPENID_LIMITS.callsPerMinute), [303, 429]);
});
