import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { openBus } from "@backplane/kit/bus";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { createAttemptLimits, createFamiliarAddresses } from "./attempt-limits.ts";

async function prepare() {
  const clock = { nowMs: 1_800_000_000_000 };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const bus = await openBus({ now, onFault });
  const familiar = createFamiliarAddresses(bus, onFault);
  const limits = createAttemptLimits({
    newLimiter: (limit) => createRateLimiter({ ...limit, redis: undefined, now, onFault }),
    isFamiliar: familiar.isFamiliar,
  });
  const isAllowed = async (account: string, address: string) => (await limits.reserve({ account, address })).allowed;
  return { clock, faults, bus, familiar, limits, isAllowed };
}

const FAMILIAR = "203.0.113.5";
const STRANGE = "203.0.113.6";
/** A guesser with many addresses. */
const many = (length: number) => Array.from({ length }, (_, i) => `10.0.${i >> 8}.${i & 255}`);

test("an address that has failed too often at one account can still try other accounts", async () => {
  const { isAllowed } = await prepare();
  for (let i = 0; i < ACCOUNT_LIMITS.failuresPerAccountAndAddress; i += 1) assert.ok(await isAllowed("ada", STRANGE));
  assert.equal(await isAllowed("ada", STRANGE), false);
  assert.equal(await isAllowed("eve", STRANGE), true);
  assert.equal(await isAllowed("ada", FAMILIAR), true);
});

test("an address can fail only so often at all accounts together; an IPv6 /64 network counts as one address", async () => {
  const { isAllowed } = await prepare();
  const host = (i: number) => `2001:db8:0:1::${(i + 1).toString(16)}`;
  for (let i = 0; i < ACCOUNT_LIMITS.failuresPerAddress; i += 1) assert.ok(await isAllowed(`account ${i}`, host(i)));
  assert.equal(await isAllowed("one more", host(999)), false);
  assert.equal(await isAllowed("one more", "2001:db8:0:2::1"), true);
});

test("the address of a local proxy that is not in TRUST_PROXY is not counted by itself, because everybody comes through it", async () => {
  const { isAllowed } = await prepare();
  for (const proxy of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    for (let i = 0; i <= ACCOUNT_LIMITS.failuresPerAddress; i += 1) assert.ok(await isAllowed(`${proxy} ${i}`, proxy));
  }
});

test("failures at one account from many addresses are limited too", async () => {
  const { isAllowed } = await prepare();
  for (const address of many(ACCOUNT_LIMITS.failuresPerAccount)) assert.ok(await isAllowed("ada", address));
  assert.equal(await isAllowed("ada", STRANGE), false);
  assert.equal(await isAllowed("eve", STRANGE), true);
});

test("strangers who use up an account's limit do not lock it out where it has signed in before, and cannot guess from there", async () => {
  const { familiar, isAllowed, clock } = await prepare();
  await familiar.remember({ account: "ada", address: FAMILIAR });
  await familiar.remember({ account: "ada", address: FAMILIAR });
  for (const address of many(ACCOUNT_LIMITS.failuresPerAccount)) await isAllowed("ada", address);
  for (let i = 0; i < ACCOUNT_LIMITS.failuresPerAccountAndAddress; i += 1) assert.ok(await isAllowed("ada", FAMILIAR));
  assert.equal(await isAllowed("ada", FAMILIAR), false);
  assert.equal(await isAllowed("ada", STRANGE), false);
  clock.nowMs += 31 * 24 * 3_600_000;
  for (const address of many(ACCOUNT_LIMITS.failuresPerAccount)) await isAllowed("ada", address);
  assert.equal(await isAllowed("ada", FAMILIAR), false, "it was forgotten after a month");
});

test("an attempt that is given back was never counted, and a refusal is not counted", async () => {
  const { limits, isAllowed } = await prepare();
  for (let i = 0; i < 3 * ACCOUNT_LIMITS.failuresPerAccount; i += 1) {
    const reservation = await limits.reserve({ account: "ada", address: STRANGE });
    assert.ok(reservation.allowed);
    await reservation.giveBack();
  }
  for (let i = 0; i < ACCOUNT_LIMITS.failuresPerAccountAndAddress; i += 1) await isAllowed("ada", STRANGE);
  for (let i = 0; i < 200; i += 1) assert.equal(await isAllowed("ada", STRANGE), false);
  // If refusals counted for the address or the account, these would be refused.
  assert.equal(await isAllowed("eve", STRANGE), true);
  assert.equal(await isAllowed("ada", FAMILIAR), true);
});

test("people can still sign in while the bus is away", async () => {
  const { bus, familiar, isAllowed, faults } = await prepare();
  await bus.close();
  await familiar.remember({ account: "ada", address: FAMILIAR });
  assert.equal(await familiar.isFamiliar({ account: "ada", address: FAMILIAR }), false);
  assert.equal(faults.length, 2);
  assert.equal(await isAllowed("ada", FAMILIAR), true);
});
