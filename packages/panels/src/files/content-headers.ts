import { isUtf8 } from "node:buffer";
import { basename, extname } from "node:path";

/** Pictures that run nothing. SVG is none of them. */
const PICTURES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
};

/** What a browser might run or draw as a page if it ever took our word less seriously. */
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

/** A project is anybody's: nothing in it may ever act on our origin. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export function contentHeaders(path: string, bytes: Buffer): Record<string, string> {
  const ending = extname(path).toLowerCase();
  const picture = PICTURES[ending];
  const isText = picture === undefined && isUtf8(bytes) && !bytes.includes(0);
  const isShown = picture !== undefined || (isText && !ACTIVE.has(ending));
  return {
    "content-type": picture ?? (isText ? "text/plain; charset=utf-8" : "application/octet-stream"),
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-cache",
    ...(isShown ? {} : { "content-disposition": `attachment; filename*=UTF-8''${encoded(basename(path))}` }),
  };
}

/** RFC 8187: a little less is left as it is than by encodeURIComponent. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
