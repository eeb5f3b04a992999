import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayAddresses, webAddress } from "./addresses.ts";
import { OAuthError } from "./errors.ts";

test("the gateway is on this machine's port 8795 unless told otherwise", () => {
  assert.deepEqual(gatewayAddresses({}), {
    redirectUri: "http://localhost:8795/callback",
    wsUrl: "ws://localhost:8795/ws",
  });
});

test("the WebSocket address is derived from the gateway's, also below a path, unless it is given", () => {
  for (const gatewayUrl of ["https://example.com/gateway", "https://example.com/gateway/"]) {
    assert.deepEqual(gatewayAddresses({ gatewayUrl }), {
      redirectUri: "https://example.com/gateway/callback",
      wsUrl: "wss://example.com/gateway/ws",
    });
  }
  const given = gatewayAddresses({
    gatewayUrl: "https://example.com",
    gatewayWsUrl: "wss://sockets.example.com/x?y=1",
  });
  assert.equal(given.wsUrl, "wss://sockets.example.com/x?y=1");
});

test("an address that cannot be right is refused by the name of its option, and not repeated", () => {
  const faulty = [
    "",
    "example.com",
    "ftp://example.com",
    "https://name:hunter2@example.com",
    "https://example.com/#hunter2",
    "https://example.com/?key=hunter2",
  ];
  for (const gatewayUrl of faulty) {
    assert.throws(
      () => gatewayAddresses({ gatewayUrl }),
      (error: unknown) => {
        assert.ok(error instanceof OAuthError);
        assert.deepEqual([error.code, error.field], ["invalid-option", "gatewayUrl"]);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  }
  assert.throws(
    () => webAddress(OAuthError, "tokenUrl", undefined as unknown as string, ["https:"]),
    /tokenUrl is not an address/,
  );
});
