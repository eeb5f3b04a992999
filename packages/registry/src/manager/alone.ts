import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { layoutOf } from "./installing/layout.ts";
import { takeLock } from "./installing/lock.ts";

/** While `act` runs, nobody else is `alone` in this folder, in any process. `name` is that of the lock. */
export async function alone<Result>(
  root: string,
  name: string,
  waitMs: number,
  act: () => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(root);
  await mkdir(layout.own, { recursive: true });
  const own = { lock: join(layout.own, `${name}-lock`), holder: join(layout.own, `${name}-lock-holder.json`) };
  const lock = await takeLock({ ...layout, ...own }, waitMs);
  try {
    return await act();
  } finally {
    lock.release();
  }
}
