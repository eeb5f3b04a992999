/** A signal that aborts with the others or after `ms`; its timer ends with the scope that uses it. */
export function deadline(
  ms: number,
  ...others: AbortSignal[]
): Disposable & { signal: AbortSignal; isOver(): boolean } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  return {
    signal: AbortSignal.any([over.signal, ...others]),
    isOver: () => over.signal.aborted,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
