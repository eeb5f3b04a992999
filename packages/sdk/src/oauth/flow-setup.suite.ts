import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { OAuthError, type OAuthErrorCode } from "../errors.ts";
import type { ScriptedGateway } from "../testing/scripted-gateway.ts";
import { type OAuthFlowOptions, startOAuthFlow } from "./flow.ts";

export const ASKED = {
  provider: "example",
  authUrl: "https://provider.example/authorize",
  clientId: "client-1",
  scopes: "files.read profile",
} satisfies OAuthFlowOptions;

export const sha256 = (text: unknown) => createHash("sha256").update(String(text)).digest("base64url");

export const failsWith =
  (code: OAuthErrorCode, more: Partial<Record<keyof OAuthError, unknown>> = {}) =>
  (error: unknown): true => {
    assert.ok(error instanceof OAuthError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, /\.$/);
    for (const [field, value] of Object.entries(more)) assert.deepEqual(error[field as keyof OAuthError], value);
    return true;
  };

export async function startRegistered(gateway: ScriptedGateway, options: Partial<OAuthFlowOptions> = {}) {
  const [flow, scripted] = await Promise.all([
    startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, ...options }),
    gateway.registered(),
  ]);
  return { flow, ...scripted };
}
