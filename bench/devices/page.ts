import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { OWNER } from "../intents/contestants.ts";
import { startFlow } from "./flow-process.ts";
import { MAX_PAGE_SHARE, PAGE } from "./limits.ts";
import { addBundle, bundle, mainThreadMs, openBrowser } from "./main-thread.ts";
import { startWorkbench, WORKSPACE, type Workbench } from "./stage.ts";

const REPETITIONS = 3;
const POLL_MS = 50;
const PATIENCE_MS = 15_000;
type Way = "hub" | "mqtt.js";

/** Samples of many devices in a page: what they cost its main thread by our hub, beside mqtt.js at the same broker. */
export async function page(session: Session): Promise<void> {
  const built = await bundle("page-samples.mjs");
  await using stack = new AsyncDisposableStack();
  const workbench = stack.use(await startWorkbench("platform"));
  await startFlow(workbench, PAGE.samplesPerSecond, stack, PAGE.devices);
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const context = await browser.newContext({ bypassCSP: true });
  // The broker lets in only pages of the platform's own address.
  const address = workbench.server.url.replace("127.0.0.1", "localhost");
  const [name = "", value = ""] = workbench.cookie.split("=", 2);
  await context.addCookies([{ name, value, url: address }]);
  const shares: number[] = [];
  const figures: string[] = [];
  for (let i = 0; i < (session.quick ? 1 : REPETITIONS); i += 1) {
    session.progress(`Samples in a page: repetition ${i + 1}`);
    const took = { "mqtt.js": 0, hub: 0 };
    for (const way of ["mqtt.js", "hub"] as const) {
      const shown = await context.newPage();
      await shown.goto(`${address}/health`);
      await addBundle(shown, built);
      took[way] = await msPerThousand(shown, way, workbench, session.quick ? 3 : PAGE.seconds);
      await shown.close();
      session.signal.throwIfAborted();
    }
    shares.push(took.hub / took["mqtt.js"]);
    figures.push(`${took.hub.toFixed(1)} and ${took["mqtt.js"].toFixed(1)} ms`);
  }
  const median = shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? Number.NaN;
  const holds = median <= MAX_PAGE_SHARE;
  const sentence = `target ${holds ? "holds" : "missed"}: at most ${MAX_PAGE_SHARE}; it is ${median.toFixed(3)}`;
  session.say(
    [
      `Samples in a page, ${PAGE.samplesPerSecond} per s of ${PAGE.devices} devices: CPU of the page per 1,000, compared with mqtt.js`,
      `  ${figures.join("; ")}`,
    ],
    [{ holds, isStretch: false, sentence }],
  );
}

async function msPerThousand(shown: Page, way: Way, { call }: Workbench, seconds: number): Promise<number> {
  const received = (): Promise<number> => shown.evaluate("bench.received()");
  const { ticket } = way === "hub" ? { ticket: "" } : await call<{ ticket: string }>("POST", "/mqtt", {});
  const options = { workspace: WORKSPACE, devices: PAGE.devices, ticket, user: OWNER.name };
  await shown.evaluate(`bench.ways[${JSON.stringify(way)}](${JSON.stringify(options)})`);
  const deadlineMs = performance.now() + PATIENCE_MS;
  while ((await received()) < PAGE.samplesPerSecond) {
    if (performance.now() > deadlineMs) throw new BenchFault(`${way}: samples do not reach the page.`);
    await sleep(POLL_MS);
  }
  const before = await received();
  const tookMs = await mainThreadMs(shown, () => sleep(seconds * 1_000));
  const samples = (await received()) - before;
  // Whoever drops samples has less to do.
  if (samples < 0.8 * seconds * PAGE.samplesPerSecond) throw new BenchFault(`${way}: only ${samples} samples came.`);
  return (tookMs / samples) * 1_000;
}
