import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { GATEWAY_LIMITS, REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import type { Delivery, Owner, ProviderAnswer, RegisterRequest, Registrations } from "./registrations.ts";

export type UnderTest = AsyncDisposable & {
  /** One gateway, or several that share a bus. */
  readonly instances: readonly Registrations[];
  advance(ms: number): void;
};

/** A connection as the registrations see it, with all that was sent to it. */
export type TestOwner = Owner & { readonly sent: Record<string, unknown>[]; isGone: boolean; onSend: () => void };

let connected = 0;

export function connect(): TestOwner {
  connected += 1;
  const owner: TestOwner = {
    data: { id: connected, held: [], emptySinceMs: 0 },
    sent: [],
    isGone: false,
    onSend: () => {},
    send(text) {
      if (owner.isGone) return false;
      owner.sent.push(JSON.parse(text));
      owner.onSend();
      return true;
    },
  };
  return owner;
}

export const secretAndChallenge = () => {
  const secret = randomUUID();
  return { secret, challenge: hash("sha256", secret, "base64url") };
};

const CODE = "4/0AY0e-g7";
export const withCode = (state: string, code = CODE): ProviderAnswer => ({ code, query: { code, state } });

/** Every law of `Registrations`, between the first and the last of the instances. */
export function registrationLaws(open: () => Promise<UnderTest>): void {
  async function start() {
    const under = await open();
    const first = under.instances[0] as Registrations;
    const last = under.instances.at(-1) as Registrations;
    const state = randomUUID();
    const register = (at: Registrations, owner: Owner, more: Partial<RegisterRequest> = {}) =>
      at.register(owner, { state, provider: "google", ...more });
    return { under, first, last, state, register };
  }

  test("none → register → registered, then GET /callback with matching state → delivered: the owning connection gets callback with code and query", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    assert.equal(await register(first, owner), "registered");
    assert.deepEqual(first.counts(), { pending: 1, delivered: 0, expired: 0 });
    const query = { code: CODE, state, scope: "a b", iss: "https://accounts.example" };
    assert.deepEqual(await last.deliver(state, undefined, { code: CODE, query }), {
      outcome: "delivered",
      provider: "google",
    });
    assert.deepEqual(owner.sent, [{ type: "callback", state, code: CODE, query }]);
    assert.deepEqual(first.counts(), { pending: 0, delivered: 1, expired: 0 });
  });

  test("registered → unregister → none: a later callback finds no application", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner);
    assert.equal(first.unregister(owner, state), true);
    assert.equal(first.unregister(owner, state), false);
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "unknown" });
    assert.deepEqual(owner.sent, []);
  });

  test("registered → 10 minutes → expired: not a millisecond earlier, and the owner gets an error", async () => {
    assert.equal(REGISTRATION_LIFE_MS, 600_000);
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const [owner, other] = [connect(), connect()];
    const otherState = randomUUID();
    await register(first, owner);
    await first.register(other, { state: otherState, provider: "google" });
    under.advance(599_999);
    assert.equal((await last.deliver(otherState, undefined, withCode(otherState))).outcome, "delivered");
    under.advance(1);
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "expired" });
    first.sweep();
    assert.deepEqual(
      owner.sent.map(({ type, code }) => ({ type, code })),
      [{ type: "error", code: "state-expired" }],
    );
    assert.deepEqual(first.counts(), { pending: 0, delivered: 1, expired: 1 });
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "expired" });
  });

  test("registered → WebSocket disconnect → none: all registrations of the connection are removed", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    const states = [state, randomUUID(), randomUUID()];
    for (const one of states) await register(first, owner, { state: one });
    first.leave(owner);
    assert.equal(first.counts().pending, 0);
    for (const one of states) {
      assert.deepEqual(await last.deliver(one, undefined, withCode(one)), { outcome: "unknown" });
    }
    assert.equal(await register(last, connect()), "registered");
  });

  test("registering the same state again on the same connection succeeds and does not change its expiry", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner);
    under.advance(REGISTRATION_LIFE_MS - 1);
    assert.equal(await register(first, owner), "registered");
    assert.equal(first.counts().pending, 1);
    under.advance(1);
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "expired" });
  });

  test("on another connection the state is refused, and the first owner keeps it", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const [owner, other] = [connect(), connect()];
    await register(first, owner);
    assert.equal(await register(last, other), "state-taken");
    assert.equal((await last.deliver(state, undefined, withCode(state))).outcome, "delivered");
    assert.equal(owner.sent.length, 1);
    assert.deepEqual(other.sent, []);
  });

  test("when 100 connections register one state at once, exactly one gets it", async () => {
    const { under, state } = await start();
    await using _ = under;
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (under.instances[i % under.instances.length] as Registrations).register(connect(), {
          state,
          provider: "google",
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "registered").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "state-taken").length, 99);
  });

  for (const ack of [false, true]) {
    test(`of 100 concurrent callbacks for one state, exactly one is delivered, the others get used (ack: ${ack})`, async () => {
      const { under, first, state, register } = await start();
      await using _ = under;
      const owner = connect();
      owner.onSend = () => setImmediate(() => first.confirm(owner, state));
      await register(first, owner, { ack });
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const at = under.instances[i % under.instances.length] as Registrations;
          return (await at.deliver(state, undefined, withCode(state, `code-${i}`))).outcome;
        }),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "delivered").length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === "used").length, 99);
      assert.equal(owner.sent.length, 1);
      assert.equal(owner.sent[0]?.code, `code-${outcomes.indexOf("delivered")}`);
    });
  }

  test("a used state gets no second callback, and nobody else can register it", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    await register(first, connect());
    await last.deliver(state, undefined, withCode(state));
    for (const at of under.instances) {
      assert.deepEqual(await at.deliver(state, undefined, withCode(state)), { outcome: "used" });
      assert.equal(await register(at, connect()), "state-used");
    }
  });

  test("the connection that used a state may register it again, and gets the next callback too", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    for (const round of [1, 2, 3]) {
      assert.equal(await register(first, owner), "registered");
      assert.equal((await last.deliver(state, undefined, withCode(state))).outcome, "delivered");
      assert.equal(owner.sent.length, round);
    }
  });

  test("a state with a challenge moves to another connection only with its secret, even while it is live", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const { secret, challenge } = secretAndChallenge();
    const [stuck, thief, back] = [connect(), connect(), connect()];
    await register(first, stuck, { challenge });
    assert.equal(await register(last, thief), "state-taken");
    assert.equal(await register(last, thief, { secret: "guessed" }), "secret-needed");
    assert.equal(await register(last, back, { challenge, secret }), "registered");
    assert.equal((await first.deliver(state, undefined, withCode(state))).outcome, "delivered");
    assert.deepEqual([back.sent.length, thief.sent.length], [1, 0]);
    assert.deepEqual(
      stuck.sent.map(({ code }) => code),
      ["state-taken"],
    );
  });

  test("a state with a challenge still needs the secret after its connection was lost", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const { secret, challenge } = secretAndChallenge();
    const owner = connect();
    await register(first, owner, { challenge });
    first.leave(owner);
    assert.equal(await register(last, connect()), "secret-needed");
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "unknown" });
    const back = connect();
    assert.equal(await register(last, back, { challenge, secret }), "registered");
    assert.equal((await first.deliver(state, undefined, withCode(state))).outcome, "delivered");
    assert.equal(back.sent.length, 1);
  });

  test("an owner that is lost before it confirms does not use up the state: it can come back and get the callback", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const { secret, challenge } = secretAndChallenge();
    const [owner, back] = [connect(), connect()];
    await register(first, owner, { challenge, ack: true });
    owner.onSend = () => setImmediate(() => first.leave(owner));
    const both = [last.deliver(state, undefined, withCode(state)), first.deliver(state, undefined, withCode(state))];
    assert.deepEqual(await Promise.all(both), [{ outcome: "unknown" }, { outcome: "unknown" }]);
    await register(last, back, { challenge, secret, ack: true });
    back.onSend = () => setImmediate(() => last.confirm(back, state));
    assert.equal((await first.deliver(state, undefined, withCode(state))).outcome, "delivered");
    assert.equal(back.sent.length, 1);
  });

  test("when an owner does not send the ack it promised, the callback is unconfirmed and the state is used", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner, { ack: true });
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), {
      outcome: "unconfirmed",
      provider: "google",
    });
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "used" });
    assert.equal(first.confirm(owner, state), false);
  });

  test("an owner that can no longer be sent anything counts as lost", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner);
    owner.isGone = true;
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "unknown" });
  });

  test("a provider's error reaches the owner as error, with its description and query, and uses up the state", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner);
    const query = { error: "access_denied", error_description: "Not on the list", state };
    const answer = { error: "access_denied", description: "Not on the list", query };
    assert.equal((await last.deliver(state, undefined, answer)).outcome, "delivered");
    assert.deepEqual(owner.sent, [
      {
        type: "error",
        state,
        error: "access_denied",
        code: "provider-error",
        error_description: "Not on the list",
        query,
      },
    ]);
    assert.deepEqual(await last.deliver(state, undefined, withCode(state)), { outcome: "used" });
  });

  test("an answer at another provider's address is refused, and the state stays unused", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner);
    const expected: Delivery = { outcome: "wrong-provider", provider: "google" };
    assert.deepEqual(await last.deliver(state, "github", withCode(state)), expected);
    assert.deepEqual(owner.sent, []);
    assert.equal((await last.deliver(state, "google", withCode(state))).outcome, "delivered");
  });

  test("a registration over the limit of a connection is refused, and one that ends makes room", async () => {
    const { under, first } = await start();
    await using _ = under;
    const owner = connect();
    const states = Array.from({ length: GATEWAY_LIMITS.maxRegistrations }, () => randomUUID());
    for (const one of states) assert.equal(await first.register(owner, { state: one, provider: "p" }), "registered");
    const next = { state: randomUUID(), provider: "p" };
    assert.equal(await first.register(owner, next), "too-many-registrations");
    first.unregister(owner, states[0] as string);
    assert.equal(await first.register(owner, next), "registered");
  });

  test("a connection can neither unregister nor confirm another connection's state", async () => {
    const { under, first, state, register } = await start();
    await using _ = under;
    const [owner, other] = [connect(), connect()];
    await register(first, owner);
    assert.equal(first.unregister(other, state), false);
    assert.equal(first.confirm(other, state), false);
    assert.equal(first.counts().pending, 1);
  });

  test("a registration that ended while it was being claimed takes nothing from its successor", async () => {
    const { under, first, last } = await start();
    await using _ = under;
    const { secret, challenge } = secretAndChallenge();
    for (const proof of [{}, { secret, challenge }]) {
      for (let round = 0; round < 30; round += 1) {
        const request = { state: randomUUID(), provider: "p", ...proof };
        const [gone, back] = [connect(), connect()];
        const first1 = first.register(gone, request);
        if (round % 3 === 1) await first1;
        first.leave(gone);
        const again = first.register(back, request);
        if (round % 2 === 1) first.unregister(back, request.state);
        const outcome = round % 2 === 1 ? first.register(back, request) : again;
        await Promise.all([first1, again, outcome]);
        assert.equal(await outcome, "registered");
        assert.equal((await last.deliver(request.state, undefined, withCode(request.state))).outcome, "delivered");
        assert.deepEqual([gone.sent.length, back.sent.length], [0, 1]);
      }
    }
  });

  test("register, unregister, register within a millisecond leaves the state registered on all instances", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    for (let round = 0; round < 5; round += 1) {
      await register(first, owner);
      first.unregister(owner, state);
    }
    assert.equal(await register(first, owner), "registered");
    assert.equal(await register(last, connect()), "state-taken");
    assert.equal((await last.deliver(state, undefined, withCode(state))).outcome, "delivered");
  });

  test("a state whose callback is being delivered when its time runs out is not free for others", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    await register(first, owner, { ack: true });
    under.advance(REGISTRATION_LIFE_MS - 1);
    const asked = Promise.resolve(first.deliver(state, undefined, withCode(state)));
    under.advance(1);
    assert.equal(await register(last, connect()), "state-taken");
    assert.equal(first.confirm(owner, state), true);
    assert.equal((await asked).outcome, "delivered");
  });

  test("unregistering after the callback has arrived counts as using the state", async () => {
    const { under, first, last, state, register } = await start();
    await using _ = under;
    const owner = connect();
    owner.onSend = () => setImmediate(() => first.unregister(owner, state));
    await register(first, owner, { ack: true });
    assert.equal((await last.deliver(state, undefined, withCode(state))).outcome, "delivered");
    assert.equal(first.isDelivering(), false);
  });

  test("a connection that closes while registering leaves nothing registered", async () => {
    const { under, first, last, register } = await start();
    await using _ = under;
    const owner = connect();
    const outcome = register(first, owner);
    first.leave(owner);
    await outcome;
    assert.equal(first.counts().pending, 0);
    assert.equal(await register(last, connect()), "registered");
  });
}
