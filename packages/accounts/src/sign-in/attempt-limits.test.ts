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
  const limits = createAttemptLimits((limit) => createRateLimiter({ ...limit, redis: undefined, now, onFault }));
  const stateOf = async (account: string, address: string) => (await limits.reserve({ account, address })).state;
  const isAllowed = async (account: string, address: string) => (await stateOf(account, address)) === "allowed";
  return { clock, faults, bus, familiar, limits, stateOf, isAllowed };
}

const DAY_MS = 24 * 3_600_000;
const FAMILIAR = "203.0.113.5";
const STRANGE = "203.0.113.6";
/** A guesser with many addresses. */
const many = (length: number) => Array.from({ length }, (_, i) => `10.0.${i >> 8}.${i & 255}`);

test("in a quarter of an hour: ten failures per account and address, fifty per address, and a hundred more checks there", () => {
  const { failureWindowMs, failuresPerAccountAndAddress, failuresPerAddress, checksBeyondLimits } = ACCOUNT_LIMITS;
  assert.deepEqual(
    [failureWindowMs, failuresPerAccountAndAddress, failuresPerAddress, checksBeyondLimits],
    [15 * 60_000, 10, 50, 100],
  );
});

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

test("beyond any limit, a number of attempts per address is still checked, the same for every account; then all are refused", async () => {
  const { stateOf, isAllowed, limits } = await prepare();
  for (let i = 0; i < ACCOUNT_LIMITS.failuresPerAccountAndAddress; i += 1) assert.ok(await isAllowed("ada", FAMILIAR));
  for (let i = 0; await isAllowed(`account ${i}`, FAMILIAR); i += 1);
  const given = await limits.reserve({ account: "ada", address: FAMILIAR });
  assert.equal(given.state, "familiar-only");
  assert.ok("giveBack" in given);
  await given.giveBack();
  // One of them found that the address had reached its limit.
  for (let i = 1; i < ACCOUNT_LIMITS.checksBeyondLimits; i += 1) {
    assert.equal(await stateOf(i % 2 ? "ada" : "nobody", FAMILIAR), "familiar-only");
  }
  for (const account of ["ada", "nobody"]) assert.equal(await stateOf(account, FAMILIAR), "refused");
  assert.equal(await isAllowed("ada", STRANGE), true);
});

test("where an account signed in is remembered for a month", async () => {
  const { familiar, clock } = await prepare();
  const [here, elsewhere] = [FAMILIAR, STRANGE].map((address) => ({ account: "ada", address }));
  assert.ok(here && elsewhere);
  await familiar.remember(here);
  await familiar.remember(here);
  assert.deepEqual([await familiar.isFamiliar(here), await familiar.isFamiliar(elsewhere)], [true, false]);
  assert.equal(await familiar.isFamiliar({ account: "eve", address: FAMILIAR }), false);
  clock.nowMs += 29 * DAY_MS;
  assert.equal(await familiar.isFamiliar(here), true);
  clock.nowMs += 2 * DAY_MS;
  assert.equal(await familiar.isFamiliar(here), false);
});

test("an attempt that is given back was never counted, and a refusal is not counted", async () => {
  const { limits, isAllowed } = await prepare();
  for (let i = 0; i < 3 * ACCOUNT_LIMITS.failuresPerAccount; i += 1) {
    const reservation = await limits.reserve({ account: "ada", address: STRANGE });
    assert.ok(reservation.state === "allowed");
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
