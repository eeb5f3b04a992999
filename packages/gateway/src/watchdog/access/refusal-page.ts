import { html, renderStandalonePage, standalonePolicy, styleFor } from "@backplane/kit/page";

export const TOKEN_HINT = "send Authorization: Bearer with the token from watchdog-token in BACKPLANE_HOME";

/** What a person sees who opens the watchdog from another machine: the way that needs no token. */
export function renderRefusal({ port, homeUrl }: { port: number; homeUrl: string }) {
  const body = html`<div class="card">
<div class="outcome"><span class="glyph"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><rect x="3.25" y="7" width="9.5" height="6.75" rx="1"/><path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"/></svg></span><div><h1>This page opens on its own machine</h1><p>From elsewhere, bring its port to yours with the line below, then open <a href="http://localhost:${port}">http://localhost:${port}</a>.</p></div></div>
<div class="card-body"><p class="copy"><code class="prompted">ssh -L ${port}:localhost:${port} you@machine</code></p></div>
<div class="card-body dense muted">Programs need the token: they ${TOKEN_HINT}.</div>
</div>`;
  const style = styleFor(body);
  return {
    policy: standalonePolicy({ styles: [style] }),
    page: renderStandalonePage({
      title: "Watchdog: not from here",
      name: "Watchdog",
      process: "",
      homeUrl,
      body,
      style,
    }),
  };
}
