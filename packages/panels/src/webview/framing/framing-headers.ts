export type Refusal = "x-frame-options" | "frame-ancestors";
export type FramingHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** Why a browser does not show an answer of `site` inside a page of `embedder`; undefined: it does. */
export function framingRefusal(headers: FramingHeaders, site: URL, embedder: URL): Refusal | undefined {
  const lists = frameAncestorLists(all(headers["content-security-policy"]));
  // If a policy has frame-ancestors, X-Frame-Options is ignored (CSP 3, 6.4.2.3).
  if (lists.length > 0) {
    return lists.every((list) => allowsAncestor(list, site, embedder)) ? undefined : "frame-ancestors";
  }
  return optionsAllow(all(headers["x-frame-options"]), site, embedder) ? undefined : "x-frame-options";
}

const KNOWN: ReadonlySet<string> = new Set(["deny", "sameorigin", "allowall"]);

/** As in Chromium: unknown values are ignored, and contradicting values refuse. */
function optionsAllow(values: readonly string[], site: URL, embedder: URL): boolean {
  const said = new Set(
    values
      .flatMap((value) => value.split(","))
      .map((value) => value.trim().toLowerCase())
      .filter((value) => value !== "")
      .map((value) => (KNOWN.has(value) ? value : "unknown")),
  );
  if (said.size > 1) return false;
  return !said.has("deny") && (!said.has("sameorigin") || site.origin === embedder.origin);
}

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

const SCHEME_SOURCE = /^([a-z][a-z0-9+.-]*):$/i;
const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}|\*))?\/?$/i;
const DEFAULT_PORTS: Record<string, string> = { http: "80", https: "443" };

/** The frame-ancestors of each policy that has them. Commas separate policies, and never occur in a list. */
function frameAncestorLists(policies: readonly string[]): string[][] {
  return policies
    .flatMap((header) => header.split(","))
    .flatMap((policy) => {
      const directives = policy.split(";").map((directive) => directive.trim().split(/[\t\n\f\r ]+/));
      // The first one in a policy counts.
      const found = directives.find(([name]) => name?.toLowerCase() === "frame-ancestors");
      return found ? [found.slice(1)] : [];
    });
}

/**
 * Whether a page of `embedder` may frame `site` by such a list (Content Security Policy 3, 6.7.2, as Chromium does it).
 * An invalid source matches nothing.
 */
const allowsAncestor = (list: readonly string[], site: URL, embedder: URL): boolean =>
  list.some((source) => matches(source, site, embedder));

function matches(source: string, site: URL, embedder: URL): boolean {
  if (source === "*") return true;
  if (source.toLowerCase() === "'self'") return isSelf(site, embedder);
  const scheme = SCHEME_SOURCE.exec(source)?.[1];
  if (scheme !== undefined) return schemeFit(scheme, embedder) !== "none";
  const [, given, host, port] = HOST_SOURCE.exec(source) ?? [];
  if (host === undefined || !hostFits(host.toLowerCase(), embedder.hostname)) return false;
  const fits = { scheme: schemeFit(given ?? schemeOf(site), embedder), port: portFit(port, embedder) };
  if (fits.scheme === "none" || fits.port === "none") return false;
  // When http is upgraded to https, the port is too: from 80 to 443, or from an unspecified one.
  if (fits.scheme === "upgraded") return fits.port !== "same";
  return fits.port !== "upgraded";
}

type Fit = "same" | "any" | "upgraded" | "none";

function schemeFit(scheme: string, embedder: URL): Fit {
  const [wanted, has] = [scheme.toLowerCase(), schemeOf(embedder)];
  if (wanted === has) return "same";
  return wanted === "http" && has === "https" ? "upgraded" : "none";
}

function portFit(port: string | undefined, embedder: URL): Fit {
  const has = portOf(embedder);
  if (port === "*") return "any";
  if (port === undefined) return has === DEFAULT_PORTS[schemeOf(embedder)] ? "any" : "none";
  if (Number(port) === Number(has)) return "same";
  return Number(port) === 80 && has === "443" ? "upgraded" : "none";
}

/** `*.example.org` matches subdomains, not example.org itself. */
const hostFits = (host: string, name: string): boolean =>
  host === "*" || host === name || (host.startsWith("*.") && name.endsWith(host.slice(1)));

function isSelf(site: URL, embedder: URL): boolean {
  if (site.origin === embedder.origin) return true;
  const isUpgrade = site.protocol === "http:" && embedder.protocol === "https:";
  return isUpgrade && site.hostname === embedder.hostname && site.port === "" && embedder.port === "";
}

const schemeOf = ({ protocol }: URL): string => protocol.slice(0, -1);
const portOf = (url: URL): string => url.port || (DEFAULT_PORTS[schemeOf(url)] ?? "");
