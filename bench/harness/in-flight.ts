/** Runs `count` operations with `width` of them under way at any time; the operation is told its number. */
export async function inFlight(count: number, width: number, operate: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await operate(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
