import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Html, html } from "./html.ts";
import { chooseStyle } from "./style-choice.ts";

export type Page = {
  title: string;
  /** The name beside the logo; "Backplane" by default. */
  name?: string;
  /** The process that serves the page, shown at the top right. */
  process: string | Html;
  /** The overview, which the logo links to. */
  homeUrl: string;
  body: Html;
  /** A line below the card. */
  foot?: string;
  /** The styles that `styleFor` chose; all styles by default. */
  style?: string;
  /** Run in this order, after the page has loaded. */
  scripts?: readonly string[];
};

export type Policy = {
  styles: readonly string[];
  scripts?: readonly string[];
  /** The page sends requests to its own origin. */
  connects?: boolean;
  /** The page sends a form to its own origin. */
  submits?: boolean;
};

/** The common style sheet. */
export const TOKENS = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

/** All shared styles, minified. */
export const ALL_STYLES = TOKENS.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ");

const hashesOf = (sources: readonly string[]): string =>
  sources.map((source) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`).join(" ");

/** A standalone page loads nothing: its styles and scripts are inlined and allowed by their hashes. */
export const standalonePolicy = ({ styles, scripts = [], connects = false, submits = false }: Policy): string =>
  `default-src 'none'; style-src ${hashesOf(styles)}; ` +
  (scripts.length > 0 ? `script-src ${hashesOf(scripts)}; ` : "") +
  (connects ? "connect-src 'self'; " : "") +
  `img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action ${submits ? "'self'" : "'none'"}`;

/** The policy of a page with all styles and no script. */
export const STANDALONE_POLICY = standalonePolicy({ styles: [ALL_STYLES] });

export const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h4v20H2zM9 2h10l3 3v3H9zM9 10h11v4H9zM9 16h13v3l-3 3H9z"/><path class="contacts" d="M6 4h3v2H6zM6 11h3v2H6zM6 18h3v2H6z"/></svg>`;

/** One card in the middle of the window, for processes that serve no app: works without script, in light and dark. */
export function renderStandalonePage(page: Page): string {
  const { title, name = "Backplane", process, homeUrl, body, foot, style = ALL_STYLES, scripts = [] } = page;
  return `<!doctype html>${html`
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} &middot; Backplane</title>
<link rel="icon" href="data:,">`}
<style>${style}</style>${html`
</head>
<body>
<main class="alone">
<div class="alone-box">
<div class="alone-top"><a class="row alone-home" href="${homeUrl}">${MARK}<b>${name}</b></a><span>${process}</span></div>
${body}${
  foot === undefined
    ? ""
    : html`
<p class="alone-foot">${foot}</p>`
}
</div>
</main>`}${scripts.map((script) => `\n<script>${script}</script>`).join("")}
</body>
</html>
`;
}

/** The styles that pages with these bodies use. Takes milliseconds: call it once, not per request. */
export const styleFor = (...bodies: readonly Html[]): string =>
  chooseStyle(
    TOKENS,
    renderStandalonePage({ title: "", process: "", homeUrl: "", body: html`${bodies}`, foot: "", style: "" }),
  );
