import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Html, html } from "./html.ts";

export type Page = {
  title: string;
  /** Which process speaks; stands at the top right. */
  process: string;
  /** The overview, which the mark leads to. */
  homeUrl: string;
  body: Html;
};

const STYLE = readFileSync(new URL("tokens.css", import.meta.url), "utf8")
  .replace(/\/\*[\s\S]*?\*\//g, "")
  .replace(/\s+/g, " ");

/** A stand-alone page loads nothing at all: its one style is inlined and allowed by hash. */
export const STANDALONE_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; img-src data:; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h4v20H2zM9 2h10l3 3v3H9zM9 10h11v4H9zM9 16h13v3l-3 3H9z"/><path class="contacts" d="M6 4h3v2H6zM6 11h3v2H6zM6 18h3v2H6z"/></svg>`;

/** One card in the middle of the window, for processes that serve no app: works without script, in light and dark. */
export function renderStandalonePage({ title, process, homeUrl, body }: Page): string {
  return `<!doctype html>${html`
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Backplane</title>
<link rel="icon" href="data:,">`}
<style>${STYLE}</style>${html`
</head>
<body>
<main class="alone">
<div class="alone-box">
<div class="alone-top"><a class="row alone-home" href="${homeUrl}">${MARK}<b>Backplane</b></a><span>${process}</span></div>
${body}
</div>
</main>
</body>
</html>
`}`;
}
