import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startScriptedGateway } from "../testing/scripted-gateway.ts";
import { startOAuthFlow } from "./flow.ts";
import { ASKED, sha256, startRegistered } from "./flow-setup.suite.ts";
import type { OAuthFlowEvent } from "./wait.ts";

/** A flow, on a browser's WebSocket and on ours for Node. */
export function describeFlow(carrier: string): void {
  const law = (sentence: string, run: () => Promise<void>) => test(`${sentence} (${carrier})`, run);

  law("it registers a new state with a challenge and a promise to acknowledge, and sends no secret", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, register } = await startRegistered(gateway);
    const { type, state, provider, challenge, ack, ...others } = register;
    assert.deepEqual([type, provider, ack, others], ["register", "example", true, {}]);
    assert.match(String(state), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(String(challenge), /^[A-Za-z0-9_-]{43}$/);
    const redirect = new URL(flow.authRedirectUrl).searchParams;
    assert.equal(redirect.get("state"), state);
    assert.equal(redirect.get("redirect_uri"), `${gateway.url}/callback`);
    assert.match(String(redirect.get("code_challenge")), /^[A-Za-z0-9_-]{43}$/);
    assert.notEqual(redirect.get("code_challenge"), challenge);
    flow.close();
  });

  law("it resolves only after the gateway has answered registered", async () => {
    await using gateway = await startScriptedGateway();
    let isStarted = false;
    const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url }).then((flow) => {
      isStarted = true;
      return flow;
    });
    const connection = await gateway.connection();
    const { state } = await connection.hear();
    connection.say({ type: "registered", state: "another-state-than-the-one-asked" });
    connection.socket.ping();
    await once(connection.socket, "pong");
    assert.equal(isStarted, false);
    connection.say({ type: "registered", state });
    (await starting).close();
  });

  law(
    "on the callback it acknowledges, closes cleanly, and returns the code with everything its exchange needs",
    async () => {
      await using gateway = await startScriptedGateway();
      const { flow, connection, state } = await startRegistered(gateway, { issuer: "https://provider.example" });
      const query = { code: "the-code", state, iss: "https://provider.example", extra: "1" };
      connection.say({ type: "callback", state, code: "the-code", query });
      assert.deepEqual(await connection.hear(), { type: "ack", state });
      assert.equal(await connection.closed, 1000);
      const { codeVerifier, ...answer } = await flow.waitForCode();
      assert.equal(sha256(codeVerifier), new URL(flow.authRedirectUrl).searchParams.get("code_challenge"));
      assert.deepEqual(answer, {
        code: "the-code",
        state,
        query,
        iss: "https://provider.example",
        redirectUri: `${gateway.url}/callback`,
      });
      assert.equal(flow.waitForCode(), flow.waitForCode());
    },
  );

  law("a callback that arrives twice counts once", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    connection.say({ type: "callback", state, code: "first", query: {} });
    connection.say({ type: "callback", state, code: "second", query: {} });
    assert.deepEqual(await connection.hear(), { type: "ack", state });
    assert.equal(await connection.closed, 1000);
    assert.equal((await flow.waitForCode()).code, "first");
  });

  law("it ignores messages that it does not understand", async () => {
    await using gateway = await startScriptedGateway();
    const { flow, connection, state } = await startRegistered(gateway);
    for (const text of ["", "no json", "null", "[]", '"callback"', "{}"]) connection.sayRaw(text);
    connection.sayRaw(Buffer.from(JSON.stringify({ type: "callback", state, code: "binary", query: {} })));
    connection.say({ type: "of-tomorrow", state });
    connection.say({ type: "callback", state });
    connection.say({ type: "callback", state, code: 7, query: {} });
    connection.say({ type: "callback", state: "another-state-than-the-one-asked", code: "foreign", query: {} });
    connection.say({ type: "error", state: "another-state-than-the-one-asked", error: "access_denied" });
    connection.say({ type: "callback", state, code: "right", query: "no object" });
    assert.deepEqual(await connection.hear(), { type: "ack", state });
    const { code, query } = await flow.waitForCode();
    assert.deepEqual([code, query], ["right", {}]);
  });

  law(
    "it reconnects after a lost connection, and registers the same state with the secret of its challenge",
    async () => {
      await using gateway = await startScriptedGateway();
      const events: OAuthFlowEvent[] = [];
      const { flow, connection, register, state } = await startRegistered(gateway, {
        onState: (event) => events.push(event),
      });
      connection.cut();
      const again = await gateway.registered();
      assert.deepEqual({ ...again.register, secret: undefined }, { ...register, secret: undefined });
      assert.equal(sha256(again.register.secret), register.challenge);
      again.connection.socket.close(1001, "going away");
      const third = await gateway.registered();
      assert.deepEqual(third.register, again.register);
      third.connection.say({ type: "callback", state, code: "late", query: {} });
      assert.equal((await flow.waitForCode()).code, "late");
      assert.deepEqual(
        events.map(({ type }) => type),
        [
          "connecting",
          "registered",
          "lost",
          "connecting",
          "registered",
          "lost",
          "connecting",
          "registered",
          "received",
        ],
      );
    },
  );

  law(
    "it reconnects when the connection is lost before registered, with the secret in case the registration had arrived",
    async () => {
      await using gateway = await startScriptedGateway();
      const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
      const first = await gateway.connection();
      const { challenge } = await first.hear();
      first.cut();
      const { register } = await gateway.registered();
      assert.equal(sha256(register.secret), challenge);
      (await starting).close();
    },
  );

  for (const code of ["not-ready", "bus-unavailable", "too-fast", "too-many-requests"]) {
    law(`it tries again when the gateway answers ${code}`, async () => {
      await using gateway = await startScriptedGateway();
      const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
      const first = await gateway.connection();
      const { state } = await first.hear();
      first.say({ type: "error", state, error: "Not now.", code });
      assert.equal((await gateway.registered()).state, state);
      (await starting).close();
    });
  }
}
