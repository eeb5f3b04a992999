import type { App } from "../http/index.ts";
import { html } from "./html.ts";
import { renderStandalonePage, standalonePolicy, styleFor } from "./page.ts";

export type PlannedPage = {
  process: string;
  homeUrl: string;
  title?: string;
  /** What the area will do, in one sentence. */
  purpose: string;
  /** What will be there, a line each. */
  promises: readonly string[];
};

/** The page of an area that is not built yet: says so, says what will be there, and shows no data that it does not have. */
export function servePlannedPage(
  app: App,
  { process, homeUrl, title = "Not built yet", purpose, promises }: PlannedPage,
): void {
  const body = html`<div class="card">
<div class="outcome"><span class="glyph"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.25"/><path d="M8 7.25v4M8 4.75v.05"/></svg></span><div><h1>${title}</h1><p>${purpose}</p></div></div>
<div class="card-body"><h2>What will be here</h2><ul class="plain-list dense muted">${promises.map((line) => html`<li>${line}</li>`)}</ul></div>
<div class="card-body dense muted">This process runs and answers <a href="/health">/health</a>, <a href="/ready">/ready</a> and <a href="/metrics">/metrics</a>.</div>
</div>`;
  const style = styleFor(body);
  const policy = standalonePolicy({ styles: [style] });
  const page = renderStandalonePage({ title: `${process}: ${title.toLowerCase()}`, process, homeUrl, body, style });
  app.get("/", { schema: { hide: true } }, async (_request, reply) =>
    reply.header("content-security-policy", policy).type("text/html; charset=utf-8").send(page),
  );
}
