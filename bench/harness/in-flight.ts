/** Runs `count` operations, `width` at a time; each gets its number. */
export async function inFlight(count: number, width: number, operate: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await operate(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
