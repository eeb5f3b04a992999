import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { startScriptedGateway } from "../testing/scripted-gateway.ts";
import { startOAuthFlow } from "./flow.ts";
import { ASKED, failsWith, startRegistered } from "./flow-setup.suite.ts";
import type { OAuthFlowEvent } from "./wait.ts";

/** How a flow ends without a code, on a browser's WebSocket and on ours for Node. */
export function describeFlowFailures(carrier: string): void {
  const law = (sentence: string, run: () => Promise<void>) => test(`${sentence} (${carrier})`, run);

  law("a refused registration fails the start, with the gateway's code and text", async () => {
    await using gateway = await startScriptedGateway();
    const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
    const connection = await gateway.connection();
    const { state } = await connection.hear();
    connection.say({ type: "error", state, error: "Another connection waits with it.", code: "state-taken" });
    await assert.rejects(starting, (error: Error) => {
      assert.match(error.message, /Another connection waits with it\./);
      return failsWith("registration-refused", { gatewayCode: "state-taken" })(error);
    });
    assert.equal(await connection.closed, 1000);
  });

  law("an error without state or code, as a minimal gateway sends it, fails the start too", async () => {
    await using gateway = await startScriptedGateway();
    const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
    const connection = await gateway.connection();
    await connection.hear();
    connection.say({ type: "error", state: null, error: "no room" });
    await assert.rejects(starting, failsWith("registration-refused", { gatewayCode: undefined }));
  });

  law("a registration that is refused after a lost connection fails the wait", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    connection.cut();
    const again = await gateway.connection();
    await again.hear();
    again.say({ type: "error", state, error: "The secret does not fit.", code: "secret-needed" });
    await assert.rejects(flow.waitForCode(), failsWith("registration-refused", { gatewayCode: "secret-needed" }));
  });

  law("the wait ends as expired when the gateway says that the registration has expired", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    connection.say({ type: "error", state, error: "Expired.", code: "state-expired" });
    await assert.rejects(flow.waitForCode(), failsWith("expired"));
    assert.equal(await connection.closed, 1000);
  });

  law("access_denied is explained: a provider in testing mode blocks users not on its test-user list", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    const error_description = "Not on the list\u202e";
    connection.say({
      type: "error",
      state,
      error: "access_denied",
      code: "provider-error",
      error_description,
      query: {},
    });
    assert.deepEqual(await connection.hear(), { type: "ack", state });
    await assert.rejects(flow.waitForCode(), (error: Error) => {
      const says = "The provider declined access: Not on the list. If the app is in testing at the provider, its owner";
      assert.ok(error.message.startsWith(`${says} must add your account to the test users.`), error.message);
      return failsWith("declined", { providerError: "access_denied", providerDescription: "Not on the list" })(error);
    });
  });

  law("any other error of the provider is passed on with its code and text", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    connection.say({ type: "error", state, error: "invalid_scope", code: "provider-error", query: {} });
    await assert.rejects(flow.waitForCode(), failsWith("provider-error", { providerError: "invalid_scope" }));
  });

  law("an error without a code that comes after registered is the provider's", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    connection.say({ type: "error", state, error: "access_denied" });
    await assert.rejects(flow.waitForCode(), failsWith("declined"));
  });

  law("an answer from another issuer is refused, whether a code or an error (RFC 9207)", async () => {
    await using gateway = await startScriptedGateway();
    const query = { iss: "https://attacker.example" };
    const messages = [
      { type: "callback", code: "stolen", query },
      { type: "error", code: "provider-error", error: "access_denied", query },
    ];
    for (const message of messages) {
      const { flow, connection, state } = await startRegistered(gateway, { issuer: "https://provider.example" });
      connection.say({ ...message, state });
      await assert.rejects(flow.waitForCode(), failsWith("issuer-mismatch"));
    }
  });

  law("an answer without an issuer is refused only from a provider that always sends one", async () => {
    await using gateway = await startScriptedGateway();
    const issuer = "https://provider.example";
    const strict = await startRegistered(gateway, { issuer, requireIss: true });
    strict.connection.say({ type: "callback", state: strict.state, code: "c", query: {} });
    await assert.rejects(strict.flow.waitForCode(), failsWith("issuer-mismatch"));
    const lenient = await startRegistered(gateway, { issuer });
    lenient.connection.say({ type: "callback", state: lenient.state, code: "c", query: {} });
    assert.equal((await lenient.flow.waitForCode()).code, "c");
  });

  law("close stops the wait and tells the gateway", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    flow.close();
    flow.close();
    assert.deepEqual(await connection.hear(), { type: "unregister", state });
    assert.equal(await connection.closed, 1000);
    await assert.rejects(flow.waitForCode(), failsWith("aborted"));
  });

  law("the signal stops it before it connects, while it connects, and while it waits", async () => {
    await using gateway = await startScriptedGateway();
    const reason = new Error("user left");
    await assert.rejects(
      startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, signal: AbortSignal.abort(reason) }),
      failsWith("aborted", { cause: reason }),
    );

    const early = new AbortController();
    const onState = () => early.abort(reason);
    await assert.rejects(
      startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, signal: early.signal, onState }),
      failsWith("aborted", { cause: reason }),
    );

    const late = new AbortController();
    const { flow, connection, state } = await startRegistered(gateway, { signal: late.signal });
    late.abort(reason);
    await assert.rejects(flow.waitForCode(), failsWith("aborted", { cause: reason }));
    assert.deepEqual(await connection.hear(), { type: "unregister", state });
  });

  law("it times out, tells the gateway, and says whether the gateway was connected", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway, { timeoutMs: 50 });
    await assert.rejects(flow.waitForCode(), (error: Error) => {
      assert.equal(error.message, "Nobody finished signing in within 0.05 s. Start again.");
      return failsWith("timed-out")(error);
    });
    assert.deepEqual(await connection.hear(), { type: "unregister", state });
  });

  law("the time-out continues while the gateway is lost", async () => {
    const gateway = await startScriptedGateway();
    const { flow } = await startRegistered(gateway, { timeoutMs: 200 });
    await gateway[Symbol.asyncDispose]();
    await assert.rejects(flow.waitForCode(), (error: Error) => {
      assert.match(error.message, /^The connection to the gateway was lost/);
      return failsWith("timed-out")(error);
    });
  });

  law("a gateway that is not running is unreachable after a few attempts", async () => {
    const gateway = await startScriptedGateway();
    await gateway[Symbol.asyncDispose]();
    const attempts: number[] = [];
    const onState = (event: OAuthFlowEvent) => void (event.type === "connecting" && attempts.push(event.attempt));
    await assert.rejects(
      startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, connectTimeoutMs: 2_000, onState }),
      (error: Error) => {
        assert.match(
          error.message,
          /^The gateway at 127\.0\.0\.1:\d+ does not answer\. Check that it is running .*try again\.$/,
        );
        return failsWith("gateway-unreachable")(error);
      },
    );
    assert.deepEqual(attempts.slice(0, 3), [1, 2, 3]);
  });

  law("a server that accepts and stays silent is unreachable, and so is one without WebSockets", async () => {
    for (const answer of [
      "",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi",
      "HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n",
    ]) {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.write(answer));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as { port: number };
      await assert.rejects(
        startOAuthFlow({ ...ASKED, gatewayUrl: `http://127.0.0.1:${port}`, connectTimeoutMs: 300 }),
        failsWith("gateway-unreachable"),
      );
      server.close();
      // A connection that the client left open would keep the server from closing.
      await once(server, "close");
    }
  });

  law(
    "a listener that throws does not lose the code, and a failure that nobody awaits does not end the process",
    async () => {
      await using gateway = await startScriptedGateway();
      const onState = () => {
        throw new Error("listener");
      };
      const { connection, state } = await startRegistered(gateway, { onState });
      connection.say({ type: "error", state, error: "access_denied", code: "provider-error" });
      assert.deepEqual(await connection.hear(), { type: "ack", state });
      assert.equal(await connection.closed, 1000);
    },
  );
}
