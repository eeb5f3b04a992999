import { type Crowd, newState, withListener } from "./crowd.ts";
import { openingAtOnce, stalledAfterMs } from "./limits.ts";
import { Subscriber } from "./subscriber.ts";

/** Opens sockets up to this number, and registers each. Returns how many it opened. */
export async function connectCrowd(crowd: Crowd, sockets: number): Promise<number> {
  const { link, subscribers } = crowd;
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  let ended = 0;
  let ready = 0;
  const stall = setTimeout(() => {
    link.faults.add("lost", "The server stopped taking connections.", sockets - ended);
    resolve();
  }, stalledAfterMs);
  const begin = () => {
    while (begun < sockets && begun - ended < openingAtOnce) subscribers.add(new Subscriber(link, begun++, newState()));
  };
  const end = () => {
    ended += 1;
    stall.refresh();
    if (ended === sockets) resolve();
    else begin();
  };
  const listener = {
    ready() {
      ready += 1;
      end();
    },
    delivered() {},
    closed(subscriber: Subscriber) {
      subscribers.delete(subscriber);
      end();
    },
  };
  await withListener(crowd, listener, () => {
    begin();
    return promise;
  });
  clearTimeout(stall);
  return ready;
}
