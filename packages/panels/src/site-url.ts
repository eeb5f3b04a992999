import { PANELS_LIMITS } from "@backplane/contract/panels";
import { invalidField } from "./problems.ts";

/** An address that a web view may show, or what is wrong with it. */
export type SiteUrl = { ok: true; url: URL } | { ok: false; message: string };

export function readSiteUrl(text: string): SiteUrl {
  const { maxUrlLength } = PANELS_LIMITS;
  if (text.length > maxUrlLength) return { ok: false, message: `is longer than ${maxUrlLength} characters` };
  const url = URL.parse(text);
  if (!url) return { ok: false, message: "is not a complete address: begin with https://" };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { ok: false, message: "must begin with http:// or https://" };
  if (url.username !== "" || url.password !== "")
    return { ok: false, message: "must not contain a user name or password" };
  // Percent-encoding makes it longer, and the encoded form is what is stored.
  if (url.href.length > maxUrlLength) return { ok: false, message: `is longer than ${maxUrlLength} characters` };
  return { ok: true, url };
}

/** The same, or 422 that names the field. */
export function expectSiteUrl(text: string, pointer: string): URL {
  const site = readSiteUrl(text);
  if (site.ok) return site.url;
  throw invalidField(pointer, site.message);
}
