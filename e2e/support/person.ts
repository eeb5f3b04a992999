import assert from "node:assert/strict";
import type { Intent } from "@backplane/contract/intents";
import type { BrowserContextOptions, Page } from "playwright-core";
import { OWNER } from "./platform.ts";

export type Credentials = { name: string; password: string };

/** Signs in and decides like a person with a browser, but over plain HTTP. */
export async function signInAs(url: string, credentials: Credentials = OWNER) {
  const headers = { "content-type": "application/json", origin: url, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${url}/auth/login`, { method: "POST", headers, body: JSON.stringify(credentials) });
  assert.equal(response.status, 200, await response.text());
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return {
    cookie,
    call: (at: string, path: string, init: { method?: string; body?: unknown } = {}) =>
      fetch(`${at}${path}`, {
        method: init.method ?? "GET",
        headers: { ...(init.body === undefined ? {} : { "content-type": "application/json" }), origin: at, cookie },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      }),
    decide(at: string, token: string, decision: "approve" | "deny" = "approve") {
      return this.call(at, `/auth/intents/${token}`, { method: "PATCH", body: { decision } });
    },
  };
}

export type Person = Awaited<ReturnType<typeof signInAs>>;

/** Creates an invitation link. */
export async function invite(owner: Person, url: string): Promise<string> {
  const response = await owner.call(url, "/auth/invitations", { method: "POST", body: {} });
  return ((await response.json()) as { url: string }).url;
}

export const INVITED_PASSWORD = "a sentence to keep";

/** Creates an account that no other test uses. */
export async function makePerson(owner: Person, url: string, name: string) {
  const credentials: Credentials = { name, password: INVITED_PASSWORD };
  const invitation = (await invite(owner, url)).split("#")[1];
  const response = await fetch(`${url}/auth/accounts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...credentials, invitation, email: `${name}@example.org` }),
  });
  assert.equal(response.status, 201, await response.text());
  return { ...credentials, signIn: () => signInAs(url, credentials) };
}

/** Options for a window in which that person is already signed in. */
export function signedInWindow({ cookie }: { cookie: string }): Pick<BrowserContextOptions, "storageState"> {
  const [name = "", value = ""] = cookie.split("=");
  const where = { domain: "localhost", path: "/", expires: -1 };
  const how = { httpOnly: true, secure: false, sameSite: "Strict" } as const;
  return { storageState: { cookies: [{ name, value, ...where, ...how }], origins: [] } };
}

export async function fillSignIn(page: Page, { name, password }: Credentials = OWNER): Promise<void> {
  await page.getByLabel("Name or email").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function createIntent(
  url: string,
  body?: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Intent> {
  const response = await fetch(`${url}/auth/intents`, {
    method: "POST",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 201);
  return (await response.json()) as Intent;
}

export type StreamEvent = { event: string; data: string };

/** The events of a status stream until the server ends it. */
export async function readStream(url: string, headers: Record<string, string> = {}): Promise<StreamEvent[]> {
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers } });
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const blocks = (await response.text()).split("\n\n");
  return blocks.flatMap((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    return event === undefined ? [] : [{ event, data: /^data: ?(.*)$/m.exec(block)?.[1] ?? "" }];
  });
}
