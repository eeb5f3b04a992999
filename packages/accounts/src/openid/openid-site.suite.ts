import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ClientAuthMethod } from "oidc-provider";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import type { Browser } from "../passkeys/browser.suite.ts";
import { servePasskeys } from "../passkeys/routes.ts";
import { startSite } from "../passkeys/site.suite.ts";
import { type Person, startProvider } from "./provider.suite.ts";
import { serveOpenid } from "./routes.ts";

const ADA: Person = {
  preferred_username: "ada",
  name: "Ada Lovelace",
  email: "ada@example.org",
  email_verified: true,
};

type Options = { openRegistration?: boolean; clientAuth?: ClientAuthMethod; people?: Record<string, Person> };

/** A site with a provider. */
export async function startOpenidSite(
  t: TestContext,
  open: OpenTestDatabase,
  { openRegistration = false, clientAuth = "client_secret_basic", people = { "sub-ada": ADA } }: Options = {},
) {
  let provider: Awaited<ReturnType<typeof startProvider>> | undefined;
  const site = await startSite(t, open, async (app, parts, url) => {
    provider = await startProvider(t, { redirectUri: `${url}/auth/openid/callback`, clientAuth, people });
    const { issuer, clientId, clientSecret } = provider;
    serveOpenid(app, {
      ...parts,
      openid: { issuer, clientId, clientSecret, name: "Example" },
      openRegistration,
      baseUrl: url,
      fetch,
    });
    servePasskeys(app, parts);
  });
  if (!provider) throw new Error("the site adds its routes first");
  const { url, database } = site;
  const { issuer } = provider;

  /** Follows the provider's redirects until it sends the browser back; returns where to. */
  async function walk(browser: Browser, from: string): Promise<string> {
    for (let address = from, steps = 0; steps < 10; steps += 1) {
      if (address.startsWith(`${url}/auth/openid/callback`)) return address;
      assert.ok(address.startsWith(issuer), address);
      address = locationOf(await browser.ask(address, { fromElsewhere: true }), address);
    }
    throw new Error("the provider does not send the browser back");
  }

  const start = async (browser: Browser, query = "") =>
    locationOf(await browser.ask(`/auth/openid/start${query}`), `${url}/`);

  /** What the browser is about to bring back. */
  const goThere = async (browser: Browser, query = "") => walk(browser, await start(browser, query));

  /** Where the browser is sent after it brought something back. */
  async function bringBack(browser: Browser, callback: string): Promise<string> {
    const answer = await browser.ask(callback, { fromElsewhere: true });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const address = locationOf(answer, callback);
    assert.ok(address.startsWith(`${url}/`), address);
    return address.slice(url.length);
  }

  return {
    ...site,
    provider,
    walk,
    start,
    goThere,
    bringBack,
    signIn: async (browser: Browser, query = "") => bringBack(browser, await goThere(browser, query)),
    addIdentity: (userId: string, subject = "sub-ada") =>
      database.durable
        .insertInto("identities")
        .values({ issuer, subject, user_id: userId, created_at_ms: site.now() })
        .execute(),
    users: () => database.durable.selectFrom("users").selectAll().orderBy("created_at_ms").execute(),
    sessions: () => database.durable.selectFrom("sessions").selectAll().execute(),
  };
}

/** The target of a redirect, as the browser resolves it. */
function locationOf(answer: Response, from: string): string {
  assert.ok([302, 303].includes(answer.status), `${answer.status} at ${from}`);
  return new URL(answer.headers.get("location") ?? "", from).href;
}

/** The same address with one parameter changed in transit. */
export function altered(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}
