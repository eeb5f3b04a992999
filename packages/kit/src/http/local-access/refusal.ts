import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../../page/html.ts";
import { renderStandalonePage, standalonePolicy, styleFor } from "../../page/page.ts";
import type { Problem } from "../../problems.ts";
import { prefersHtml } from "../prefers-html.ts";

export type RefusalPage = {
  /** As people call the process, such as "Watchdog". */
  name: string;
  port: number;
  homeUrl: string;
  /** What of its addresses to open; empty, or with a slash at its beginning. */
  path?: string;
  /** How a program gets in, as the end of a sentence that begins with "they". */
  tokenHint: string;
};

/**
 * For people who ask from another machine: a page with the way that needs no token. False: this is a program, which
 * is to get the problem.
 */
export function createRefusal(options: RefusalPage) {
  const { page, policy } = renderRefusal(options);
  return (request: FastifyRequest, reply: FastifyReply, problem: Problem): boolean => {
    if (request.method !== "GET" || !prefersHtml(request.headers.accept)) return false;
    reply
      .code(problem.status)
      .headers({ ...problem.headers, "content-security-policy": policy, "cache-control": "no-store" })
      .type("text/html; charset=utf-8")
      .send(page);
    return true;
  };
}

function renderRefusal({ name, port, homeUrl, path = "", tokenHint }: RefusalPage) {
  const url = `http://localhost:${port}${path}`;
  const body = html`<div class="card">
<div class="outcome"><span class="glyph"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><rect x="3.25" y="7" width="9.5" height="6.75" rx="1"/><path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"/></svg></span><div><h1>This page opens on its own machine</h1><p>From elsewhere, bring its port to yours with the line below, then open <a href="${url}">${url}</a>.</p></div></div>
<div class="card-body"><p class="copy"><code class="prompted">ssh -L ${port}:localhost:${port} you@machine</code></p></div>
<div class="card-body dense muted">Programs need the token: they ${tokenHint}.</div>
</div>`;
  const style = styleFor(body);
  return {
    policy: standalonePolicy({ styles: [style] }),
    page: renderStandalonePage({ title: `${name}: not from here`, name, process: "", homeUrl, body, style }),
  };
}
