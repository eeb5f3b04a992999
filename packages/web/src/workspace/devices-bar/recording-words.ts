const two = (part: number): string => String(part).padStart(2, "0");

/** 0:44, 1:04:00 */
export function lengthWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const UNITS = ["kB", "MB", "GB", "TB"];

/** 3.1 MB, 412 MB */
export function sizeWords(bytes: number): string {
  let [size, unit] = [bytes / 1_000, 0];
  while (size >= 1_000 && unit < UNITS.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}
