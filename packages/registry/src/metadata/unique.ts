/** Whether no two of them are equal, as JSON counts: the order of keys does not matter. In one pass. */
export function isUnique(items: readonly unknown[]): boolean {
  const plain = new Set<unknown>();
  const groups = new Map<unknown, unknown[]>();
  for (const item of items) {
    if (typeof item !== "object" || item === null) {
      if (plain.has(item)) return false;
      plain.add(item);
    } else {
      const common = commonOf(item);
      const group = groups.get(common);
      if (group) group.push(item);
      else groups.set(common, [item]);
    }
  }
  return groups.values().every((group) => group.length === 1 || new Set(group.map(written)).size === group.length);
}

/** Equal ones have this in common, so that only those that share it need be written out to compare. */
function commonOf(item: object): unknown {
  const { version } = item as { version?: unknown };
  return typeof version === "object" ? undefined : version;
}

/** The same text for equal values. */
const written = (value: unknown): string => JSON.stringify(value, sorted);

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
