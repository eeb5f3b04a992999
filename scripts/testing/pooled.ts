/** Starts the work for each item in order, at most `limit` at a time; gives a promise an item, in order. */
export function pooled<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R>[] {
  const gates = items.map(() => Promise.withResolvers<void>());
  const results = items.map(async (item, index) => {
    await gates[index]?.promise;
    return work(item);
  });
  let next = 0;
  const pull = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      gates[index]?.resolve();
      await results[index]?.catch(() => {});
    }
  };
  for (let slot = 0; slot < limit; slot++) void pull();
  return results;
}
