import { progressEveryMs } from "./limits.ts";

export type Progress = { say(text: string): void; clear(): void };

/** In a terminal, one line that changes; elsewhere, a line now and then. */
export function createProgress(out: NodeJS.WriteStream): Progress {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const clear = () => {
    if (out.isTTY) out.write("\r\u001b[K");
  };
  return {
    clear,
    say(text) {
      if (out.isTTY) {
        clear();
        out.write(text.slice(0, Math.max(out.columns - 1, 20)));
      } else if (performance.now() - saidAtMs > progressEveryMs) {
        saidAtMs = performance.now();
        out.write(`${text}\n`);
      }
    },
  };
}
