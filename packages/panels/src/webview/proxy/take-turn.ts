const waiting: (() => void)[] = [];

/** Does one piece of long work at a time, and what else has arrived in between: very many large pages keep nobody else waiting. */
export function takeTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(next);
}

function next(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(next);
}
