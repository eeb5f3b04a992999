import assert from "node:assert/strict";
import { test } from "node:test";
import { OAuthError } from "../errors.ts";
import { describeFlow } from "./flow.suite.ts";
import { type OAuthFlowOptions, startOAuthFlow } from "./flow.ts";
import { describeFlowFailures } from "./flow-failures.suite.ts";

describeFlow("the sdk's own WebSocket");
describeFlowFailures("the sdk's own WebSocket");

const refuses = async (options: Partial<Record<keyof OAuthFlowOptions, unknown>>, field: string) => {
  const asked = { provider: "example", authUrl: "https://provider.example", clientId: "client-1", scopes: "" };
  await assert.rejects(startOAuthFlow({ ...asked, ...options } as OAuthFlowOptions), (error: unknown) => {
    assert.ok(error instanceof OAuthError, String(error));
    assert.deepEqual([error.code, error.field], ["invalid-option", field]);
    assert.ok(error.message.startsWith(`${field} `), error.message);
    return true;
  });
};

test("a wrong option is named before anything is asked of anyone", async () => {
  await refuses({ provider: "" }, "provider");
  await refuses({ provider: "x".repeat(101) }, "provider");
  await refuses({ clientId: undefined }, "clientId");
  await refuses({ scopes: ["a", "b"] }, "scopes");
  await refuses({ authUrl: "javascript:alert(1)" }, "authUrl");
  await refuses({ gatewayUrl: "ws://localhost:8795" }, "gatewayUrl");
  await refuses({ gatewayWsUrl: "http://localhost:8795" }, "gatewayWsUrl");
  await refuses({ timeoutMs: 0 }, "timeoutMs");
  await refuses({ timeoutMs: Number.NaN }, "timeoutMs");
  await refuses({ connectTimeoutMs: 2 ** 31 }, "connectTimeoutMs");
  await refuses({ requireIss: true }, "issuer");
  await refuses({ extraParams: { state: "mine" } }, "extraParams.state");
});
