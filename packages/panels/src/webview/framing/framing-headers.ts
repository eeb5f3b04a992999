export type Refusal = "x-frame-options" | "frame-ancestors";
export type FramingHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** Why a browser does not show an answer of `site` inside a page of `asker`; undefined: it does. */
export function framingRefusal(headers: FramingHeaders, site: URL, asker: URL): Refusal | undefined {
  const lists = frameAncestorLists(all(headers["content-security-policy"]));
  // Where a policy speaks of frames, X-Frame-Options is not looked at (CSP 3, 6.4.2.3).
  if (lists.length > 0) {
    return lists.every((list) => allowsAncestor(list, site, asker)) ? undefined : "frame-ancestors";
  }
  return optionsAllow(all(headers["x-frame-options"]), site, asker) ? undefined : "x-frame-options";
}

const KNOWN: ReadonlySet<string> = new Set(["deny", "sameorigin", "allowall"]);

/** As Chromium reads it: unknown values say nothing, and values that do not agree refuse. */
function optionsAllow(values: readonly string[], site: URL, asker: URL): boolean {
  const said = new Set(
    values
      .flatMap((value) => value.split(","))
      .map((value) => value.trim().toLowerCase())
      .filter((value) => value !== "")
      .map((value) => (KNOWN.has(value) ? value : "unknown")),
  );
  if (said.size > 1) return false;
  return !said.has("deny") && (!said.has("sameorigin") || site.origin === asker.origin);
}

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

const SCHEME_SOURCE = /^([a-z][a-z0-9+.-]*):$/i;
const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}|\*))?\/?$/i;
const DEFAULT_PORTS: Record<string, string> = { http: "80", https: "443" };

/** The list of each policy that has one. Several policies in a header are parted by commas; a list holds no comma. */
function frameAncestorLists(policies: readonly string[]): string[][] {
  return policies
    .flatMap((header) => header.split(","))
    .flatMap((policy) => {
      const directives = policy.split(";").map((directive) => directive.trim().split(/[\t\n\f\r ]+/));
      // Of several in one policy the first counts.
      const found = directives.find(([name]) => name?.toLowerCase() === "frame-ancestors");
      return found ? [found.slice(1)] : [];
    });
}

/**
 * Whether a page of `asker` may frame `site` by such a list (Content Security Policy 3, 6.7.2, as Chromium does it).
 * What is no source matches nothing.
 */
const allowsAncestor = (list: readonly string[], site: URL, asker: URL): boolean =>
  list.some((source) => matches(source, site, asker));

function matches(source: string, site: URL, asker: URL): boolean {
  if (source === "*") return true;
  if (source.toLowerCase() === "'self'") return isSelf(site, asker);
  const scheme = SCHEME_SOURCE.exec(source)?.[1];
  if (scheme !== undefined) return schemeFit(scheme, asker) !== "none";
  const [, given, host, port] = HOST_SOURCE.exec(source) ?? [];
  if (host === undefined || !hostFits(host.toLowerCase(), asker.hostname)) return false;
  const fits = { scheme: schemeFit(given ?? schemeOf(site), asker), port: portFit(port, asker) };
  if (fits.scheme === "none" || fits.port === "none") return false;
  // From http to https the port goes along: 80 to 443, or one that was not said.
  if (fits.scheme === "upgraded") return fits.port !== "same";
  return fits.port !== "upgraded";
}

type Fit = "same" | "any" | "upgraded" | "none";

function schemeFit(scheme: string, asker: URL): Fit {
  const [wanted, has] = [scheme.toLowerCase(), schemeOf(asker)];
  if (wanted === has) return "same";
  return wanted === "http" && has === "https" ? "upgraded" : "none";
}

function portFit(port: string | undefined, asker: URL): Fit {
  const has = portOf(asker);
  if (port === "*") return "any";
  if (port === undefined) return has === DEFAULT_PORTS[schemeOf(asker)] ? "any" : "none";
  if (Number(port) === Number(has)) return "same";
  return Number(port) === 80 && has === "443" ? "upgraded" : "none";
}

/** `*.example.org` are the names below it, not itself. */
const hostFits = (host: string, name: string): boolean =>
  host === "*" || host === name || (host.startsWith("*.") && name.endsWith(host.slice(1)));

function isSelf(site: URL, asker: URL): boolean {
  if (site.origin === asker.origin) return true;
  const isUpgrade = site.protocol === "http:" && asker.protocol === "https:";
  return isUpgrade && site.hostname === asker.hostname && site.port === "" && asker.port === "";
}

const schemeOf = ({ protocol }: URL): string => protocol.slice(0, -1);
const portOf = (url: URL): string => url.port || (DEFAULT_PORTS[schemeOf(url)] ?? "");
