import { fetchMosquitto, findChromium, findHeadlessShell, startPostgres, startRedis } from "../services/index.ts";
import type { Report } from "./report.ts";

/** Starts what the service tests share and puts the addresses where their processes find them. */
export async function servicesUp(report: Report, { browser }: { browser: boolean }): Promise<AsyncDisposable> {
  const startedMs = performance.now();
  const stack = new AsyncDisposableStack();
  try {
    const postgres = stack.use(await startPostgres());
    const redis = stack.use(await startRedis());
    process.env.BACKPLANE_TEST_DATABASE_URL = postgres.url;
    process.env.BACKPLANE_TEST_REDIS_URL = redis.url;
    // Each test starts its own, and should not wait for a package.
    await fetchMosquitto();
    if (browser) {
      process.env.CHROMIUM_PATH = await findChromium();
      process.env.HEADLESS_SHELL_PATH = await findHeadlessShell();
    }
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
  const names = ["PostgreSQL", "Redis", ...(browser ? ["Chromium"] : [])];
  report.step("ok", "services", names.join(", "), performance.now() - startedMs);
  return stack;
}
