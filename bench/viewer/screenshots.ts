import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { renderScreenshots, type ScreenshotSpec, screenshotSet } from "../../e2e/support/screenshots/index.ts";
import { chromiumFlags, findChromium } from "../../scripts/services/index.ts";
import type { Session } from "../harness/session.ts";
import { QUICK_SCREENSHOTS } from "./limits.ts";

export type Screenshot = ScreenshotSpec & { path: string };

/** Images as a browser makes them, in a separate folder. */
export type Screenshots = Disposable & { folder: string; all: Screenshot[] };

export async function takeScreenshots(
  session: Session,
  title: string,
  choose: (specs: ScreenshotSpec[]) => ScreenshotSpec[] = (specs) => specs,
): Promise<Screenshots> {
  const chosen = choose(screenshotSet());
  const specs = session.quick ? chosen.slice(0, QUICK_SCREENSHOTS) : chosen;
  session.progress(`${title}: drawing ${specs.length} screenshots`);
  const folder = mkdtempSync(join(tmpdir(), "backplane-bench-"));
  const browser = await chromium.launch({ executablePath: await findChromium(), args: [...chromiumFlags] });
  try {
    const paths = await renderScreenshots(specs, folder, browser);
    const all = specs.map((spec) => ({ ...spec, path: paths.get(spec.id) ?? "" }));
    return { folder, all, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  } finally {
    await browser.close();
  }
}

/** Some of every kind, in turn. */
export function spread(specs: readonly ScreenshotSpec[], count: number): ScreenshotSpec[] {
  const kinds = [...Map.groupBy(specs, ({ kind }) => kind).values()];
  const longest = Math.max(...kinds.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, at) => kinds.flatMap((kind) => kind[at] ?? []));
  return inTurn.flat().slice(0, count);
}
