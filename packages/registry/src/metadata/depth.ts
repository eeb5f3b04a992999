/** Far deeper than any metadata. What goes deeper can be read, but not compared or written again by all that does so. */
export const MAX_DEPTH = 64;

export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const member of value) {
      if (typeof member === "object" && isDeeperThan(levels - 1, member)) return true;
    }
    return false;
  }
  const members = value as Record<string, unknown>;
  // Not Object.values, which makes a list for each: of a long packages.json those take as long as all the rest.
  for (const key in members) {
    const member = members[key];
    if (typeof member === "object" && isDeeperThan(levels - 1, member)) return true;
  }
  return false;
}
