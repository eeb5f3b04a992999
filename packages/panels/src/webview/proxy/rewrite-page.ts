import { RewritingStream } from "parse5-html-rewriting-stream";
import { goPath, placeOf } from "../passes/frame-addresses.ts";

type StartTag = Parameters<RewritingStream["emitStartTag"]>[0];

const LINKS: ReadonlySet<string> = new Set([
  "a href",
  "area href",
  "form action",
  "button formaction",
  "input formaction",
]);
const PARTS: ReadonlySet<string> = new Set(["src", "href", "poster", "data", "action", "background"]);
/** Targets that would leave the frame, or open a window. */
const OUTER_TARGETS: ReadonlySet<string> = new Set(["_top", "_parent", "_blank"]);
/** Policies that a page sets for itself: they allow the site's origin, which is another one here. */
const DROPPED_META: ReadonlySet<string> = new Set(["content-security-policy", "content-security-policy-report-only"]);

/**
 * The page with `injected` before all its own scripts, and with addresses that stay in the frame. Everything else is sent
 * byte for byte.
 */
export function createPageRewriter(place: PagePlace, injected: string): RewritingStream {
  const rewriter = new RewritingStream();
  const map = createAddressMap(place);
  let isInjected = false;
  const inject = () => {
    if (!isInjected) rewriter.emitRaw(injected);
    isInjected = true;
  };

  rewriter.on("startTag", (tag, raw) => {
    if (tag.tagName === "html") return rewriter.emitRaw(raw);
    if (tag.tagName !== "head") inject();
    const change = changeTag(tag, map);
    if (change === "changed") rewriter.emitRaw(textOf(tag));
    else if (change === "same") rewriter.emitRaw(raw);
    if (tag.tagName === "head") inject();
  });
  rewriter.on("endTag", (_tag, raw) => {
    inject();
    rewriter.emitRaw(raw);
  });
  rewriter.on("text", (_text, raw) => {
    if (raw.trim() !== "") inject();
    rewriter.emitRaw(raw);
  });
  return rewriter;
}

function changeTag(tag: StartTag, map: AddressMap): "changed" | "same" | "dropped" {
  const { tagName, attrs } = tag;
  if (tagName === "meta") return changeMeta(tag, map);
  let isChanged = false;
  for (const attribute of attrs) {
    const value = changedValue(tagName, attribute, map);
    if (value === undefined) continue;
    attribute.value = value;
    isChanged = true;
  }
  return isChanged ? "changed" : "same";
}

function changedValue(
  tagName: string,
  { name, value }: StartTag["attrs"][number],
  map: AddressMap,
): string | undefined {
  if (name === "target" || name === "formtarget")
    return OUTER_TARGETS.has(value.trim().toLowerCase()) ? "_self" : undefined;
  if (tagName === "base" && name === "href") {
    // Map the base by the old base first; it applies from here on.
    const mapped = map.part(value);
    map.setBase(value);
    return mapped;
  }
  if (LINKS.has(`${tagName} ${name}`)) return map.link(value);
  return PARTS.has(name) ? map.part(value) : undefined;
}

function changeMeta({ attrs }: StartTag, map: AddressMap): "changed" | "same" | "dropped" {
  const wordOf = (wanted: string) =>
    attrs
      .find(({ name }) => name === wanted)
      ?.value.trim()
      .toLowerCase();
  const kind = wordOf("http-equiv");
  if ((kind !== undefined && DROPPED_META.has(kind)) || wordOf("name") === "referrer") return "dropped";
  const content = attrs.find(({ name }) => name === "content");
  if (kind !== "refresh" || !content) return "same";
  content.value = rewriteRefresh(content.value, map);
  return "changed";
}

/** Unlike the library's own serialiser, keeps the prefix of attributes in SVG (`xlink:href`). */
function textOf({ tagName, attrs, selfClosing }: StartTag): string {
  const written = attrs.map(
    ({ prefix, name, value }) => ` ${prefix ? `${prefix}:` : ""}${name}="${escapeValue(value)}"`,
  );
  return `<${tagName}${written.join("")}${selfClosing ? "/>" : ">"}`;
}

const escapeValue = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("\u00a0", "&nbsp;");

/** The address of a page at its site, and its origin in the frame. */
export type PagePlace = { url: URL; frame: string };

export type AddressMap = {
  /** Relative addresses after a `<base>` are relative to it. */
  setBase(href: string): void;
  /** Addresses of what the page loads: the site's own go through the proxy. Undefined: unchanged. */
  part(address: string): string | undefined;
  /** Addresses that the page links to: other sites go through the proxy as well. Undefined: unchanged. */
  link(address: string): string | undefined;
};

const HAS_ORIGIN = /^\s*(?:https?:|[\\/]{2})/i;

export function createAddressMap({ url, frame }: PagePlace): AddressMap {
  let base = url;
  /** With a base of another site, a path alone would lead to that site. */
  const prefix = () => (base.origin === url.origin ? "" : frame);
  const inFrame = (target: URL) => prefix() + placeOf(target);
  return {
    setBase(href) {
      const target = URL.parse(href, url.href);
      if (target && isWeb(target)) base = target;
    },
    part(address) {
      if (!HAS_ORIGIN.test(address)) return undefined;
      const target = URL.parse(address, base.href);
      return target?.origin === url.origin ? inFrame(target) : undefined;
    },
    link(address) {
      if (/^\s*#/.test(address)) return undefined;
      if (!HAS_ORIGIN.test(address) && base.origin === url.origin) return undefined;
      const target = URL.parse(address, base.href);
      if (!target || !isWeb(target)) return undefined;
      return target.origin === url.origin ? inFrame(target) : prefix() + goPath(target);
    },
  };
}

const isWeb = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:";

const REFRESH = /^(\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?)(['"]?)(.*?)\2\s*$/is;

/** `5; url=/next` in a Refresh header or `<meta>`. */
export function rewriteRefresh(content: string, map: AddressMap): string {
  const [, before = "", , address = ""] = REFRESH.exec(content) ?? [];
  const mapped = address === "" ? undefined : map.link(address);
  return mapped === undefined ? content : before + mapped;
}
