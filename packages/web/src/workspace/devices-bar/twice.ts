const WITHIN_MS = 600;

/** Whether a key was pressed for the second time in a row, within 0.6 s. */
export function createTwice(): (isKey: boolean, atMs: number) => boolean {
  let firstAtMs: number | undefined;
  return (isKey, atMs) => {
    const isTwice = isKey && firstAtMs !== undefined && atMs - firstAtMs <= WITHIN_MS;
    firstAtMs = isKey && !isTwice ? atMs : undefined;
    return isTwice;
  };
}
