import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { POLL_INTERVAL_MS, type WatchdogSnapshot } from "@backplane/contract/gateway";
import { type Html, html, renderStandalonePage, standalonePolicy } from "@backplane/kit/page";
import { timeInWords } from "../words.ts";
import { renderOutput } from "./output.ts";
import { type PartName, renderParts } from "./parts.ts";

const read = (url: string | URL): string => readFileSync(fileURLToPath(url), "utf8");

const STYLE = `${read(import.meta.resolve("@backplane/kit/tokens.css"))}${read(new URL("page.css", import.meta.url))}`
  .replace(/\/\*[\s\S]*?\*\//g, "")
  .replace(/\s+/g, " ");
const SCRIPT = read(new URL("page.js", import.meta.url));

/** Its own style and script, by hash; it asks its own origin, and its forms go there. */
export const WATCHDOG_POLICY = standalonePolicy({ styles: [STYLE], scripts: [SCRIPT], connects: true, submits: true });

export type WatchdogPage = {
  snapshot: WatchdogSnapshot;
  output: readonly string[];
  nowMs: number;
  /** Where the watchdog listens. */
  address: string;
  homeUrl: string;
};

/** The whole page as it is now: true without script, kept true by it. */
export function renderWatchdogPage({ snapshot, output, nowMs, address, homeUrl }: WatchdogPage): string {
  const parts: Record<PartName, Html | readonly Html[]> = renderParts(snapshot, nowMs);
  const at = new Date(nowMs);
  return renderStandalonePage({
    title: `Watchdog: ${snapshot.summary.title.toLowerCase()}`,
    name: "Watchdog",
    process: html`<span class="row"><span class="state off" id="live">As of <time datetime="${at.toISOString()}">${timeInWords(at, at)}</time></span><span>${address}</span></span>`,
    homeUrl,
    style: STYLE,
    scripts: [SCRIPT],
    body: html`<p class="sr" role="status" id="said"></p>
<div class="note danger" role="alert" id="fault" hidden><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.75 15 14.25H1zM8 6.25v3.5M8 12v.05"/></svg><p></p></div>
<div class="card">
<div class="now"><div data-part="now">${parts.now}</div><div class="row" data-part="actions">${parts.actions}</div></div>
<dl class="figures" data-part="figures">${parts.figures}</dl>
<div class="section">
<div class="spread dense"><h2 class="label">Last 10 minutes</h2><span class="muted">one pin is one check, every ${POLL_INTERVAL_MS / 1_000} s</span></div>
<div data-part="history">${parts.history}</div>
<p class="legend"><span class="state ok">answered</span><span class="state warn">slower than 1 s</span><span class="state danger">failed</span></p>
</div>
<div class="section spread" data-part="auto">${parts.auto}</div>
<div class="section"><h2 class="sr">What happened</h2><ol class="events" data-part="events">${parts.events}</ol></div>
<details class="section" id="output"><summary>Last lines of its output</summary>
<pre tabindex="0" role="region" aria-label="Last lines of the gateway's output">${renderOutput(output, nowMs)}</pre>
<p class="dense muted">All of it is in logs/gateway.log in BACKPLANE_HOME.</p></details>
</div>
<noscript><p class="alone-foot">This page shows one moment. <a href="/">Reload</a> it to see the next.</p></noscript>`,
  });
}
