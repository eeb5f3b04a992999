const REDRAW_MS = 250;
const BAR_CELLS = 24;

/**
 * Shows that work goes on: in a terminal a line with a bar (or the seconds, where there is nothing to count), elsewhere
 * one line when it begins and one when it is done.
 */
export async function showProgress(stream, what, progress, work, now = Date.now) {
  const startedMs = now();
  const seconds = (digits) => `${((now() - startedMs) / 1000).toFixed(digits)} s`;
  const write = (text) => stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  const draw = () => write(progress ? `${what} ${drawBar(progress)}` : `${what} … ${seconds(0)}`);
  if (!stream.isTTY) write(`${what} …`);
  else draw();
  const timer = stream.isTTY ? setInterval(draw, REDRAW_MS) : undefined;
  try {
    await work();
    write(`${what}: done in ${seconds(1)}.`);
  } finally {
    clearInterval(timer);
    if (stream.isTTY) stream.write("\n");
  }
}

export function drawBar({ done, total, unit }) {
  const count = Math.min(done(), total);
  const filled = total === 0 ? BAR_CELLS : Math.floor((count / total) * BAR_CELLS);
  return `${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)} ${count} of ${total} ${unit}`;
}
