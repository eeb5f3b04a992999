import { Calls } from "./calls.ts";
import { monotonicMs } from "./clock.ts";
import { type Crowd, newState, withListener } from "./crowd.ts";
import { Ending } from "./ending.ts";
import { flowsAtOnce } from "./limits.ts";
import { asFastAsPossible } from "./pace.ts";
import { Subscriber } from "./subscriber.ts";

/** Whole flows of a client: connect, register, get the code, close. Returns their number. */
export async function cycle(crowd: Crowd, forMs: number): Promise<number> {
  const { link } = crowd;
  const open = new Set<Subscriber>();
  const received = new Set<Subscriber>();
  let begun = 0;
  let done = 0;
  const pace = asFastAsPossible(forMs);
  const calls = new Calls(link, () => go());
  const ending = new Ending(link.lostAfterMs, () => calls.underWay === 0 && open.size === 0);
  const begin = () => {
    while (open.size < flowsAtOnce && pace.takeDue() !== undefined) {
      open.add(new Subscriber(link, begun++, newState()));
    }
  };
  const go = () => {
    calls.send(monotonicMs);
    begin();
    ending.check();
  };
  const listener: Crowd["link"]["listener"] = {
    ready(subscriber) {
      calls.offer(subscriber);
      go();
    },
    delivered(subscriber) {
      received.add(subscriber);
      subscriber.close();
    },
    closed(subscriber) {
      open.delete(subscriber);
      if (received.delete(subscriber)) done += 1;
      go();
    },
  };
  await withListener(crowd, listener, async () => {
    await pace.run(go);
    if (!(await ending.reach())) link.faults.add("lost", `${open.size} flows did not end.`, open.size);
  });
  for (const subscriber of open) subscriber.destroy();
  calls.close();
  return done;
}
