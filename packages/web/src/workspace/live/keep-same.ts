/**
 * The new value, with the objects of the one before where nothing in them is different: only what changed is drawn again.
 * For values as JSON has them.
 */
export function keepSame<Value>(before: unknown, after: Value): Value {
  if (before === after) return after;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return after;
  const keys = Object.keys(after);
  let isSame = keys.length === Object.keys(before).length;
  for (const key of keys) {
    const value = keepSame(before[key], after[key]);
    (after as Record<string, unknown>)[key] = value;
    isSame &&= Object.hasOwn(before, key) && before[key] === value;
  }
  return isSame ? (before as Value) : after;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
