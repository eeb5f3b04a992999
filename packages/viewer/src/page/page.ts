import { createHash } from "node:crypto";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { html } from "@backplane/kit/page";
import { SCRIPT, STYLE } from "./assets.ts";
import { body, IMAGE_TYPES } from "./markup.ts";

export type PastePage = {
  /** Shown in the bar, and sent with every upload. */
  title?: string | null | undefined;
  instance?: string | null | undefined;
  /** The page's token; an MCP App has none. */
  token?: string | undefined;
  /** The viewer's address, for opening the page in its own window. */
  url: string;
  /** Relative to the project: `screenshots/sp/`. */
  folder: string;
  maxUploadBytes: number;
  /** Absolute; empty if unknown. */
  project: string;
  /** As an MCP App: calls the chat client that shows it instead of the viewer. */
  isApp?: boolean | undefined;
};

const MEGABYTE = 1024 * 1024;

/** The whole page. It loads nothing else; send it with `pastePolicy`. */
export function renderPastePage(page: PastePage): string {
  const { url, folder, maxUploadBytes, project, isApp = false } = page;
  const title = page.title?.trim() ?? "";
  const settings = {
    url,
    maxUploadBytes,
    maxPixels: VIEWER_LIMITS.maxPixels,
    maxListed: VIEWER_LIMITS.maxListed,
    imageTypes: IMAGE_TYPES,
    isApp,
    title,
    instance: page.instance ?? "",
    token: isApp ? "" : (page.token ?? ""),
  };
  const limitInWords = `${Math.floor(maxUploadBytes / MEGABYTE)} MB`;
  return `<!doctype html>${html`
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === "" ? "" : `${title} · `}Screenshot paste · Backplane</title>
<link rel="icon" href="data:,">`}
<style>${STYLE}</style>${html`
</head>
<body data-settings="${JSON.stringify(settings)}">
${body({ title, folder, project, limitInWords })}`}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

const STYLE_HASH = hashOf(STYLE);
const SCRIPT_HASH = hashOf(SCRIPT);

export type PastePolicy = {
  /** Other origins whose pages may frame it. */
  frameAncestors: readonly string[];
  /** The viewer's own origins: in a sandboxed frame `'self'` does not match them in every browser. */
  connect: readonly string[];
};

/** Allows the page's style and script by hash, images it has fetched, and calls to the viewer; nothing else. */
export const pastePolicy = ({ frameAncestors, connect }: PastePolicy): string =>
  `default-src 'none'; style-src ${STYLE_HASH}; script-src ${SCRIPT_HASH}; connect-src ${["'self'", ...connect].join(" ")}; ` +
  `img-src blob: data:; frame-ancestors ${["'self'", ...frameAncestors].join(" ")}; base-uri 'none'; form-action 'none'`;
