import { Calls } from "./calls.ts";
import { monotonicMs } from "./clock.ts";
import { type Crowd, withListener } from "./crowd.ts";
import { Ending } from "./ending.ts";
import type { Pace } from "./pace.ts";

export type Delivered = { delivered: number; latenciesMs: number[]; sentLateMs: number[] };

/**
 * Callbacks to the crowd in turn, at the given pace. Each registers its state again once it has its code: to be called
 * another time, or, with `once`, only because a gateway may end a connection that waits for nothing.
 */
export async function deliver(crowd: Crowd, pace: Pace, { once = false } = {}): Promise<Delivered> {
  const { link, subscribers } = crowd;
  const latenciesMs: number[] = [];
  const sentLateMs: number[] = [];
  const calls = new Calls(link, () => go());
  let registeredAgain = 0;
  const settled = () => (once ? registeredAgain : calls.waiting);
  const ending = new Ending(link.lostAfterMs, () => calls.underWay === 0 && settled() === subscribers.size);
  const takeDue = () => {
    const dueMs = pace.takeDue();
    if (dueMs !== undefined) sentLateMs.push(monotonicMs() - dueMs);
    return dueMs;
  };
  const go = () => {
    if (ending.isNear) ending.check();
    else calls.send(takeDue);
  };
  const listener: Crowd["link"]["listener"] = {
    ready(subscriber) {
      registeredAgain += 1;
      if (!once) calls.offer(subscriber);
      go();
    },
    delivered(subscriber) {
      latenciesMs.push(monotonicMs() - subscriber.dueMs);
      subscriber.register();
    },
    closed(subscriber) {
      subscribers.delete(subscriber);
    },
  };
  for (const subscriber of subscribers) calls.offer(subscriber);
  await withListener(crowd, listener, async () => {
    await pace.run(go);
    if (await ending.reach()) return;
    const missing = subscribers.size - settled();
    link.faults.add("lost", `${missing} callbacks or registrations had no answer.`, Math.max(missing, calls.underWay));
  });
  calls.close();
  return { delivered: latenciesMs.length, latenciesMs, sentLateMs };
}
