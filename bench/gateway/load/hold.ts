import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "./clock.ts";
import { type Crowd, newState, withListener } from "./crowd.ts";
import { renewEveryMs } from "./limits.ts";
import { Queue } from "./queue.ts";
import type { Subscriber } from "./subscriber.ts";

/** How often to check which sockets should register again. */
const STEP_MS = 50;

/** Holds the sockets: each replaces its state by a new one long before it expires. */
export async function hold(crowd: Crowd, forMs: number): Promise<number> {
  const { link, subscribers } = crowd;
  const turns = new Queue<Subscriber>();
  for (const subscriber of subscribers) turns.push(subscriber);
  let registering = 0;
  const listener: Crowd["link"]["listener"] = {
    ready(subscriber) {
      registering -= 1;
      turns.push(subscriber);
    },
    delivered() {},
    closed: (subscriber) => void subscribers.delete(subscriber),
  };
  await withListener(crowd, listener, async () => {
    const startMs = monotonicMs();
    let renewed = 0;
    for (let passedMs = 0; passedMs < forMs; passedMs = monotonicMs() - startMs) {
      const wanted = Math.floor((passedMs / renewEveryMs) * subscribers.size);
      for (; renewed < wanted; renewed++) {
        const subscriber = turns.take();
        if (subscriber === undefined || !subscribers.has(subscriber)) continue;
        registering += 1;
        subscriber.register(newState());
      }
      await delay(STEP_MS);
    }
    const untilMs = monotonicMs() + link.lostAfterMs;
    while (registering > 0 && monotonicMs() < untilMs) await delay(STEP_MS);
    if (registering > 0) link.faults.add("lost", `${registering} registrations had no answer.`, registering);
  });
  return subscribers.size;
}
