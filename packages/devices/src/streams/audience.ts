import { DEVICES_LIMITS } from "@backplane/contract/devices";

const { streamLingerMs } = DEVICES_LIMITS;

/** `wasSilent`: it was not heard of for a while, so nothing waits for it to come back. */
export type Leave = (wasSilent?: boolean) => void;

/** How many look at a stream, and when it is over: a while after the last of them has left. */
export type Audience = { count(): number; join(): Leave; close(): void };

export function createAudience(onOver: () => void): Audience {
  let count = 0;
  let linger: NodeJS.Timeout | undefined;
  return {
    count: () => count,
    join() {
      count += 1;
      clearTimeout(linger);
      let hasLeft = false;
      return (wasSilent = false) => {
        if (hasLeft) return;
        hasLeft = true;
        count -= 1;
        if (count > 0) return;
        clearTimeout(linger);
        linger = setTimeout(onOver, wasSilent ? 0 : streamLingerMs).unref();
      };
    },
    close: () => clearTimeout(linger),
  };
}
