/** A panel that takes longer to load is not entered any more: somebody may be about to press a key. */
export const READY_WITHIN_MS = 3_000;

type Entry = {
  /** Whether the keyboard is still where it was put: on the tab. */
  isWaiting(): boolean;
  /** Puts the keyboard into the panel, as far as that is there. */
  enter(): void;
  /** Calls back at the next chance. */
  later(again: () => void): void;
  now(): number;
};

/** A panel that somebody has just opened is entered as soon as it takes the keyboard, unless they go elsewhere. */
export function enterWhenReady({ isWaiting, enter, later, now }: Entry): void {
  const endsAtMs = now() + READY_WITHIN_MS;
  const attempt = () => {
    if (!isWaiting()) return;
    enter();
    if (isWaiting() && now() < endsAtMs) later(attempt);
  };
  later(attempt);
}
