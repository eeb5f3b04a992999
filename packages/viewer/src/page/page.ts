import { createHash } from "node:crypto";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { html } from "@backplane/kit/page";
import { SCRIPT, STYLE } from "./assets.ts";
import { body, IMAGE_TYPES } from "./parts.ts";

export type PastePage = {
  /** Stands in the bar, and goes with every upload. */
  title?: string | null | undefined;
  instance?: string | null | undefined;
  /** Of the page; an app has none. */
  token?: string | undefined;
  /** The viewer's own address, to be opened in a window of its own. */
  url: string;
  /** As people read it: `screenshots/sp/`. */
  folder: string;
  maxUploadBytes: number;
  /** Absolute; empty when it is not known. */
  project: string;
  /** Shown by a chat program, which it speaks with instead of the viewer. */
  isApp?: boolean | undefined;
};

const MEGABYTE = 1024 * 1024;

/** The whole page; it loads nothing, and goes with `pastePolicy`. */
export function renderPastePage(page: PastePage): string {
  const { url, folder, maxUploadBytes, project, isApp = false } = page;
  const title = page.title?.trim() ?? "";
  const settings = {
    url,
    maxUploadBytes,
    maxPixels: VIEWER_LIMITS.maxPixels,
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
  /** Origins whose pages may frame it, besides its own. */
  frameAncestors: readonly string[];
  /** The viewer's own origins, spelled out: in a sandboxed frame the page has none that `'self'` could mean everywhere. */
  connect: readonly string[];
};

/** Its own style and script by hash, images that it fetched itself, calls to the viewer, and nothing else. */
export const pastePolicy = ({ frameAncestors, connect }: PastePolicy): string =>
  `default-src 'none'; style-src ${STYLE_HASH}; script-src ${SCRIPT_HASH}; connect-src ${["'self'", ...connect].join(" ")}; ` +
  `img-src blob: data:; frame-ancestors ${["'self'", ...frameAncestors].join(" ")}; base-uri 'none'; form-action 'none'`;
