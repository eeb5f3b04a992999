import { CAPTURE_LIMITS } from "./limits.ts";

const LOOK_EVERY_MS = 16;
const BUSY = '[aria-busy="true"]';

/** A panel that was just put in front may still load what it shows: its picture would be empty. */
export const untilSettled = (element: HTMLElement): Promise<void> =>
  untilCalm({
    isBusy: () => {
      const busy = element.matches(BUSY) ? [element] : [...element.querySelectorAll(BUSY)];
      return busy.some((part) => part.checkVisibility({ visibilityProperty: true }));
    },
    later: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });

type Ground = { isBusy(): boolean; later(ms: number): Promise<void> };

/** No longer than `settlesWithinMs`: a page that loads for ever has a picture, too. */
export async function untilCalm({ isBusy, later }: Ground): Promise<void> {
  if (!isBusy()) return;
  for (let waitedMs = 0; waitedMs < CAPTURE_LIMITS.settlesWithinMs && isBusy(); waitedMs += LOOK_EVERY_MS)
    await later(LOOK_EVERY_MS);
  // What has come is drawn now.
  await later(2 * LOOK_EVERY_MS);
}
