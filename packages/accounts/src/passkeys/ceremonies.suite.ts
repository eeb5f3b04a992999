import assert from "node:assert/strict";
import type { CreatePasskey, PasskeyCreationOptions, PasskeyRequestOptions } from "@backplane/contract/accounts";
import type { Browser } from "./browser.suite.ts";
import type { Lies, SoftwareAuthenticator } from "./software-authenticator.suite.ts";

export async function creationOptions(browser: Browser): Promise<PasskeyCreationOptions> {
  const answer = await browser.ask("/auth/passkeys/options", { method: "POST" });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return (await answer.json()) as PasskeyCreationOptions;
}

export async function requestOptions(browser: Browser): Promise<PasskeyRequestOptions> {
  const answer = await browser.ask("/auth/passkeys/sign-in/options", { method: "POST" });
  assert.equal(answer.status, 200);
  return (await answer.json()) as PasskeyRequestOptions;
}

export async function addPasskey(
  browser: Browser,
  authenticator: SoftwareAuthenticator,
  more: Partial<CreatePasskey> = {},
  lies: Lies = {},
  options?: PasskeyCreationOptions,
): Promise<Response> {
  const credential = authenticator.create(options ?? (await creationOptions(browser)), lies);
  return browser.ask("/auth/passkeys", { method: "POST", body: { credential, ...more } });
}

export async function signIn(
  browser: Browser,
  authenticator: SoftwareAuthenticator,
  lies: Lies = {},
  options?: PasskeyRequestOptions,
): Promise<Response> {
  const credential = authenticator.get(options ?? (await requestOptions(browser)), lies);
  return browser.ask("/auth/passkeys/sign-in", { method: "POST", body: { credential } });
}

export const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

export async function isRefused(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  const { code, errors } = (await answer.json()) as { code: string; errors: { pointer: string }[] };
  assert.deepEqual([answer.status, code, errors[0]?.pointer], [422, "invalid-input", "/credential"]);
}

export async function isPasskeyRefused(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  assert.deepEqual([answer.status, await codeOf(answer)], [401, "passkey-refused"]);
  assert.deepEqual(answer.headers.getSetCookie(), []);
}
