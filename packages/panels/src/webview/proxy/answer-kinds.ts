import type { SiteAnswer } from "./fetch-site.ts";
import { one } from "./response-headers.ts";

const SHOWN = /^(text\/|image\/|audio\/|video\/|application\/(json|xml|xhtml\+xml|javascript|[\w.+-]+\+(xml|json))\b)/;

export const contentTypeOf = ({ headers }: Pick<SiteAnswer, "headers">): string =>
  (one(headers["content-type"]) ?? "").trim().toLowerCase();

export const isHtml = (answer: Pick<SiteAnswer, "headers">): boolean => /^text\/html\b/.test(contentTypeOf(answer));

/** What a frame that may not download would leave blank. */
export function isDownload(answer: Pick<SiteAnswer, "headers">): boolean {
  const disposition = one(answer.headers["content-disposition"]) ?? "";
  if (/^\s*attachment\b/i.test(disposition)) return true;
  const type = contentTypeOf(answer);
  return type !== "" && !SHOWN.test(type);
}

/** Answers of these never have a body, whatever their headers say. */
export const hasNoBody = (method: string | undefined, status: number): boolean =>
  method === "HEAD" || status === 204 || status === 304;

export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;
