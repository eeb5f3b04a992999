import { basename, extname } from "node:path";

/** Images that cannot run scripts, so not SVG. */
const PICTURES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
};

/** What a browser could run or render as a page if it ignored our content type. */
const ACTIVE = new Set([
  ".html",
  ".htm",
  ".xhtml",
  ".xht",
  ".shtml",
  ".svg",
  ".svgz",
  ".xml",
  ".xsl",
  ".xslt",
  ".mht",
  ".mhtml",
  ".pdf",
  ".swf",
  ".js",
  ".mjs",
  ".cjs",
  ".css",
  ".hta",
  ".wasm",
]);

/** Anybody can put files into a project: nothing in it may ever run on our origin. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export function contentHeaders(path: string, isText: boolean): Record<string, string> {
  const ending = extname(path).toLowerCase();
  const picture = PICTURES[ending];
  const isShown = picture !== undefined || (isText && !ACTIVE.has(ending));
  return {
    "content-type": picture ?? (isText ? "text/plain; charset=utf-8" : "application/octet-stream"),
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-cache",
    ...(isShown ? {} : { "content-disposition": `attachment; filename*=UTF-8''${encoded(basename(path))}` }),
  };
}

/** RFC 8187 allows slightly fewer plain characters than encodeURIComponent. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
