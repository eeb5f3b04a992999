import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startOAuthFlow } from "../packages/sdk/src/index.ts";
import { startRedis } from "../scripts/services/index.ts";
import { type RunningGateway, startGateway } from "./support/gateway.ts";
import { startLoadBalancer } from "./support/load-balancer.ts";

/** Long enough to kill each instance several times; slow machines take longer. */
const DURATION_MS = 120_000;
const MIN_KILLS = 12;
const CLIENTS = 1_000;
/** The user takes a while to consent, and instances die in the meantime. */
const MAX_CONSENT_MS = 6_000;
/** As long as the waiting page polls, plus a margin for a busy machine. */
const ARRIVES_WITHIN_MS = 120_000;

type Tally = { redirected: number; arrived: number; foreign: number; asked: number; lost: string[]; kills: number };

/** Acts as the user's browser: follows the redirect, and polls while the page says to wait. */
async function visit(url: string, tally: Tally, hasArrived: () => boolean): Promise<void> {
  for (const untilMs = Date.now() + ARRIVES_WITHIN_MS; Date.now() < untilMs && !hasArrived(); ) {
    tally.asked += 1;
    try {
      const response = await fetch(url, { headers: { accept: "application/json", connection: "close" } });
      await response.arrayBuffer();
      if (response.status === 200 || response.status === 410) return;
    } catch {
      // The instance died during the request: the user or the load balancer tries again.
    }
    await wait(1_000);
  }
}

async function runClient(gatewayUrl: string, isOver: () => boolean, tally: Tally): Promise<void> {
  // Stagger the clients: starting all at once would only test the machine.
  await wait(Math.random() * MAX_CONSENT_MS);
  while (!isOver()) {
    const flow = await startOAuthFlow({
      provider: "kill-test",
      authUrl: "https://provider.example/authorize",
      clientId: "client",
      scopes: "",
      gatewayUrl,
      connectTimeoutMs: ARRIVES_WITHIN_MS,
      timeoutMs: ARRIVES_WITHIN_MS + MAX_CONSENT_MS,
    });
    await wait(Math.random() * MAX_CONSENT_MS);
    const state = new URL(flow.authRedirectUrl).searchParams.get("state") ?? "";
    const code = randomUUID();
    let got: string | undefined;
    tally.redirected += 1;
    const received = flow.waitForCode().then(
      ({ code }) => {
        got = code;
      },
      (error: Error) => {
        got = `${error.name}: ${error.message}`;
      },
    );
    const page = visit(
      `${gatewayUrl}/callback?${new URLSearchParams({ code, state })}`,
      tally,
      () => got !== undefined,
    );
    await received;
    await page;
    if (got === code) tally.arrived += 1;
    else if (got?.includes(":")) tally.lost.push(got);
    else tally.foreign += 1;
  }
}

async function killInTurn(gateways: readonly RunningGateway[], isOver: () => boolean, tally: Tally): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await wait(2_000 + Math.random() * 1_000);
    const gateway = gateways[turn % gateways.length] as RunningGateway;
    await gateway.kill("SIGKILL");
    tally.kills += 1;
    await gateway.start();
  }
}

test(`${CLIENTS} clients, two instances and Redis, instances killed every few seconds: every code arrives once, at its own client`, async (t) => {
  await using redis = await startRedis();
  await using one = await startGateway({ REDIS_URL: redis.url });
  await using other = await startGateway({ REDIS_URL: redis.url });
  await using balancer = await startLoadBalancer([one.port, other.port]);
  const tally: Tally = { redirected: 0, arrived: 0, foreign: 0, asked: 0, lost: [], kills: 0 };
  const endsAtMs = Date.now() + DURATION_MS;
  const isOver = () => Date.now() >= endsAtMs && tally.kills >= MIN_KILLS;
  await Promise.all([
    killInTurn([one, other], isOver, tally),
    ...Array.from({ length: CLIENTS }, () => runClient(balancer.url, isOver, tally)),
  ]);
  t.diagnostic(
    `${tally.redirected} codes, ${tally.arrived} arrived at their own client, ${tally.foreign} at another's, ` +
      `${tally.lost.length} lost; ${tally.asked} requests of browsers, ${tally.kills} kills in ${DURATION_MS / 1_000} s`,
  );
  assert.deepEqual(tally.lost, []);
  assert.equal(tally.foreign, 0);
  assert.equal(tally.arrived, tally.redirected);
});
