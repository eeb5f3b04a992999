import { readFileSync } from "node:fs";
import { CHECK_INTERVAL_MS, SLOW_CHECK_MS, type WatchdogSnapshot } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { type Html, html, renderStandalonePage, standalonePolicy, TOKENS } from "@backplane/kit/page";
import { Type } from "typebox";
import { timeInWords } from "../words.ts";
import { HISTORY, type PartName, renderOutput, renderParts } from "./parts.ts";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const STYLE = `${TOKENS}${read("page.css")}`.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ");
const SCRIPT = read("page.js");

/** Allows its own style and script by hash, and requests and forms to its own origin. */
export const WATCHDOG_POLICY = standalonePolicy({ styles: [STYLE], scripts: [SCRIPT], connects: true, submits: true });

export type WatchdogPage = {
  snapshot: WatchdogSnapshot;
  output: readonly string[];
  nowMs: number;
  /** The address that the watchdog listens on. */
  address: string;
  homeUrl: string;
};

/** The whole page as of now. It works without JavaScript; the script keeps it up to date. */
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
    body: html`<p class="sr" role="status" id="announcer"></p>
<div class="note danger" role="alert" id="fault" hidden><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.75 15 14.25H1zM8 6.25v3.5M8 12v.05"/></svg><p></p></div>
<div class="card">
<div class="now"><div data-part="now">${parts.now}</div><div class="row" data-part="actions">${parts.actions}</div></div>
<dl class="figures" data-part="figures">${parts.figures}</dl>
<div class="section">
<div class="spread dense"><h2 class="label">Last ${HISTORY}</h2><span class="muted">one pin per check, every ${CHECK_INTERVAL_MS / 1_000} s</span></div>
<div data-part="history">${parts.history}</div>
<p class="legend"><span class="state ok">answered</span><span class="state warn">slower than ${SLOW_CHECK_MS / 1_000} s</span><span class="state danger">failed</span></p>
</div>
<div class="section spread" data-part="auto">${parts.auto}</div>
<div class="section"><h2 class="sr">Events</h2><ol class="events" data-part="events">${parts.events}</ol></div>
<details class="section" id="output"><summary>Last lines of output</summary>
<pre tabindex="0" role="region" aria-label="Last lines of the gateway's output">${renderOutput(output, nowMs)}</pre>
<p class="dense muted">The full output is in logs/gateway.log in BACKPLANE_HOME.</p></details>
</div>
<noscript><p class="alone-foot">Without JavaScript this page does not update. <a href="/">Reload</a> it to see the current state.</p></noscript>`,
  });
}

export type WatchdogPageOptions = {
  now: Clock;
  snapshot: () => WatchdogSnapshot;
  output: () => readonly string[];
  address: string;
  homeUrl: string;
};

const PartsQuery = Type.Object({ output: Type.Optional(Type.Boolean()) });

/**
 * The page, and its parts for its script, which asks once per second. Polling rather than an event stream: a browser has
 * six connections per host, and the stream of every open tab would hold one that the buttons then have to wait for. Also,
 * an unanswered request reveals a watchdog that hangs.
 */
export function serveWatchdogPage(app: App, { now, snapshot, output, address, homeUrl }: WatchdogPageOptions): void {
  app.get("/", { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        "content-security-policy": WATCHDOG_POLICY,
        "cache-control": "no-store",
        // With "no-referrer", browsers send forms with the origin "null", as a foreign page could.
        "referrer-policy": "same-origin",
      })
      .type("text/html; charset=utf-8")
      .send(renderWatchdogPage({ snapshot: snapshot(), output: output(), nowMs: now(), address, homeUrl })),
  );
  app.get("/parts", { schema: { hide: true, querystring: PartsQuery } }, async (request, reply) => {
    reply.header("cache-control", "no-store");
    const shown = snapshot();
    const parts = Object.entries(renderParts(shown, now())).map(([name, part]) => [name, [part].flat().join("")]);
    return {
      title: shown.summary.title,
      parts: Object.fromEntries(parts),
      ...(request.query.output === true ? { output: renderOutput(output(), now()) } : {}),
    };
  });
}
