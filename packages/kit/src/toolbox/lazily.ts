/** A value that is made when it is first asked for, and kept. For what takes milliseconds, and most starts do not need. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
