import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

const DOCUMENTS: ReadonlySet<string> = new Set(["document", "iframe", "frame", "embed", "object"]);

/**
 * Whether a page is asked for, and not a part of one or something that a script reads. Browsers say so; of what does
 * not, those that take HTML first are believed.
 */
export function asksForDocument({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const destination = one(headers, "sec-fetch-dest");
  if (destination !== undefined) return DOCUMENTS.has(destination);
  return headers.accept?.startsWith("text/html") ?? false;
}

/** Whether a frame goes to another address, and not a script. Where nothing is said, what takes HTML first. */
export function isNavigation(request: Pick<IncomingMessage, "headers">): boolean {
  const mode = one(request.headers, "sec-fetch-mode");
  return mode === undefined ? asksForDocument(request) : mode === "navigate";
}

function one(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
