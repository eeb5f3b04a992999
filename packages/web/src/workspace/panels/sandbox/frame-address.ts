const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a. Names need only differ, and `crypto.subtle` is absent where the page came over plain http. */
function hash(text: string, seed: number): string {
  let value = OFFSET ^ seed;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), PRIME);
  return (value >>> 0).toString(36);
}

/**
 * Where the frame of a sandbox is. Every sandbox, every generation and every window has a host name of its own, since
 * frames of one host share a process: an endless loop in one would stop them all.
 */
export function frameAddress(framesUrl: string, place: { path: string; window: string; generation: number }): string {
  const { path, window, generation } = place;
  return `${framesUrl.replace("*", `s-${hash(path, 0)}${hash(path, 1)}-${window}-${generation}`)}/`;
}

/** Tells this window from others that show the same sandbox. */
export const newWindowName = (random: () => number): string => Math.floor(random() * 36 ** 5).toString(36);
