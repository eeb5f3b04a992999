// Numbers as people read them.
const UNITS = ["bytes", "KB", "MB", "GB"];

// 512 bytes, 214 KB, 1.1 MB, 32 MB
export function bytesInWords(bytes) {
  let value = bytes;
  let unit = 0;
  // 1,023.7 KB would read as 1,024 KB: that is 1 MB.
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const isShort = unit > 1 && value < 9.95;
  return `${isShort ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${UNITS[unit]}`;
}

// 0.4 s, 12 s, 2 min
export function timeInWords(ms) {
  if (ms < 9_950) return `${Math.max(0.1, ms / 1_000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

export const fileNameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

export const pixelsInWords = ({ width, height }) => `${width} × ${height}`;

// What follows the name of the optimized file.
export const endingOf = ({ optimized: { width, height } }) => `-${width}x${height}.png`;

// Of the optimized file, what it is of the original one; undefined when nothing was done to it.
export function percentOf({ optimized, original }) {
  if (optimized.width === original.width && optimized.bytes === original.bytes) return undefined;
  return Math.max(1, Math.round((100 * optimized.bytes) / original.bytes));
}

export function momentInWords(at, now) {
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === now.toDateString()) return `at ${time}`;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} at ${time}`;
}
