import assert from "node:assert/strict";
import { test } from "node:test";
import { OAuthError } from "../errors.ts";
import { startScriptedGateway } from "../testing/scripted-gateway.ts";
import { describeFlow } from "./flow.suite.ts";
import { type OAuthFlowOptions, startOAuthFlow } from "./flow.ts";
import { describeFlowFailures } from "./flow-failures.suite.ts";
import { ASKED, failsWith, startRegistered } from "./flow-setup.suite.ts";

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

test("a wrong option is named before any request is sent", async () => {
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

test("it waits 5 s for a gateway that is not running, unless told otherwise", async (t) => {
  const gateway = await startScriptedGateway();
  await gateway[Symbol.asyncDispose]();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isOver = false;
  const connecting = Promise.withResolvers<void>();
  const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, onState: () => connecting.resolve() });
  const outcome = assert.rejects(starting, failsWith("gateway-unreachable")).finally(() => {
    isOver = true;
  });
  await connecting.promise;
  t.mock.timers.tick(4_999);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await outcome;
});

test("an option that is undefined counts as not given", async () => {
  await using gateway = await startScriptedGateway();
  const nothing = {
    extraParams: undefined,
    gatewayWsUrl: undefined,
    issuer: undefined,
    requireIss: undefined,
    signal: undefined,
    timeoutMs: undefined,
    connectTimeoutMs: undefined,
    onState: undefined,
  } satisfies Partial<OAuthFlowOptions>;
  const { flow, connection } = await startRegistered(gateway, nothing);
  flow.close();
  assert.equal(await connection.closed, 1000);
});
