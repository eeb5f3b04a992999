import { PANELS_LIMITS } from "@backplane/contract/panels";
import { RewritingStream } from "parse5-html-rewriting-stream";
import { goPath, pathOnHost } from "../passes/frame-addresses.ts";
import { SiteFault } from "./faults.ts";
import type { HeldText } from "./held-text.ts";
import { takeTurn } from "./take-turn.ts";

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
export function createPageRewriter(place: PagePlace, injected: string, held?: HeldText): RewritingStream {
  const rewriter = new PatientRewriter(held);
  const map = createAddressMap(place);
  let isInjected = false;
  const inject = () => {
    if (!isInjected) rewriter.emitRaw(injected);
    isInjected = true;
  };

  rewriter.on("startTag", (tag, raw) => {
    if (tag.tagName === "html") return rewriter.emitRaw(raw);
    if (tag.tagName !== "head") inject();
    const change = changeTag(tag, map, place);
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

/** What the library keeps anyway. */
const HELD_CHARACTERS = 65_536;
/** It gets more once that is this part of what it holds. */
const PART_OF_HELD = 8;
/** Of one tag: each takes some hundred bytes. */
const MAX_ATTRIBUTES = 4_096;
/** Of a tag, an attribute or a document type: each character takes some ten bytes. */
const MAX_NAME_CHARACTERS = 65_536;

/** Of `<svg>` and `<math>` in each other. */
const MAX_NESTED = 10_000;

/** What the library is building. */
type Unfinished = {
  currentToken: { attrs?: unknown[]; tagName?: string; name?: string | null; data?: string } | null;
  currentAttr: { name: string; value: string } | null;
  currentCharacterToken: { chars: string } | null;
};

/**
 * The library copies all that it holds whenever more arrives, and it holds a tag, comment or run of text until its end. So
 * once it holds much, the next chunks wait until they are a part of that: otherwise small chunks would take quadratic time.
 */
class PatientRewriter extends RewritingStream {
  readonly #held: HeldText | undefined;
  readonly #namespaces: NamespaceStack;
  #waiting = "";
  #written: string[] = [];

  constructor(held: HeldText | undefined) {
    super();
    this.#held = held;
    const simulator: object = this.parserFeedbackSimulator;
    const { namespaceStack } = simulator as { namespaceStack: readonly unknown[] };
    this.#namespaces = new NamespaceStack(namespaceStack);
    Object.assign(simulator, { namespaceStack: this.#namespaces });
  }

  override _transform(chunk: string, _encoding: string, callback: (error?: Error | null, data?: string) => void): void {
    this.#waiting += chunk;
    const held = this.tokenizer.preprocessor.html.length;
    if (this.#held?.need(held + this.#waiting.length) === false) callback(new SiteFault("too-large"));
    else if (held > HELD_CHARACTERS && this.#waiting.length < held / PART_OF_HELD) callback();
    else takeTurn(() => this.#rewriteWaiting(callback));
  }

  #rewriteWaiting(callback: (error?: Error | null) => void): void {
    try {
      // Its browser may have left meanwhile.
      if (!this.destroyed) {
        this._transformChunk(this.#take());
        this.#pushWritten();
      }
      callback(this.#settle());
    } catch (error) {
      callback(error as Error);
    }
  }

  /** All of a chunk at once: a page may consist of very many tiny tags, and each would wait as an object of its own. */
  override emitRaw(html: string): void {
    this.#written.push(html);
  }

  #pushWritten(): void {
    this.push(this.#written.join(""));
    this.#written = [];
  }

  /** Lets go of what nobody reads. What is built character by character takes far more memory than the page itself. */
  #settle(): SiteFault | undefined {
    const {
      currentToken: token,
      currentAttr: attribute,
      currentCharacterToken: text,
    } = this.tokenizer as unknown as Unfinished;
    if (text) text.chars = "";
    if (this.#namespaces.depth > MAX_NESTED) return new SiteFault("too-large");
    if (!token) return undefined;
    if (token.data !== undefined) token.data = "";
    // Reading a character makes it one text.
    attribute?.value.charCodeAt(0);
    const names = [token.tagName, token.name, attribute?.name].map((name) => name?.length ?? 0);
    const isTooMuch = (token.attrs?.length ?? 0) > MAX_ATTRIBUTES || Math.max(...names) > MAX_NAME_CHARACTERS;
    return isTooMuch ? new SiteFault("too-large") : undefined;
  }

  override _final(callback: (error?: Error | null, data?: string) => void): void {
    this._transformChunk(this.#take());
    super._final((error, data) => {
      this.#pushWritten();
      callback(error, data);
    });
  }

  #take(): string {
    const waiting = this.#waiting;
    this.#waiting = "";
    return waiting;
  }
}

/**
 * Which `<svg>`, `<math>` and HTML inside them are open, the innermost first, as the library uses it. Its own list moves all
 * entries for each new one, which takes quadratic time.
 */
class NamespaceStack {
  readonly #fromOutermost: unknown[];

  constructor(fromInnermost: readonly unknown[]) {
    this.#fromOutermost = fromInnermost.toReversed();
  }

  get depth(): number {
    return this.#fromOutermost.length;
  }

  get 0(): unknown {
    return this.#fromOutermost.at(-1);
  }

  get 1(): unknown {
    return this.#fromOutermost.at(-2);
  }

  unshift(namespace: unknown): void {
    this.#fromOutermost.push(namespace);
  }

  shift(): void {
    this.#fromOutermost.pop();
  }
}

function changeTag(tag: StartTag, map: AddressMap, { popups = false }: PagePlace): "changed" | "same" | "dropped" {
  const { tagName, attrs } = tag;
  if (tagName === "meta") return changeMeta(tag, map);
  let isChanged = false;
  for (const attribute of attrs) {
    const isPopup = popups && tagName !== "base" && isBlank(attribute);
    const value = isPopup ? undefined : changedValue(tagName, attribute, map);
    if (value === undefined) continue;
    attribute.value = value;
    isChanged = true;
  }
  return isChanged ? "changed" : "same";
}

/** The tracker gives such a link its address outside of the frame. */
const isBlank = ({ name, value }: StartTag["attrs"][number]): boolean =>
  name === "target" && value.trim().toLowerCase() === "_blank";

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
  const rewritten = rewriteRefresh(content.value, map);
  if (rewritten === undefined) return "dropped";
  content.value = rewritten;
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
export type PagePlace = { url: URL; frame: string; popups?: boolean };

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
  const inFrame = (target: URL) => prefix() + pathOnHost(target);
  return {
    setBase(href) {
      const target = URL.parse(href, url.href);
      // It is read again for every address on the page, so its length counts.
      if (target && isWeb(target) && target.href.length <= PANELS_LIMITS.maxUrlLength) base = target;
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

/**
 * `5; url=/next` in a Refresh header or `<meta>`, read as the HTML standard says. Undefined: it is longer than an address
 * may be, and is not passed on.
 */
export function rewriteRefresh(content: string, map: AddressMap): string | undefined {
  if (content.length > PANELS_LIMITS.maxUrlLength) return undefined;
  const start = refreshAddressAt(content);
  const quote = content[start] === "'" || content[start] === '"' ? content[start] : undefined;
  const address = quote === undefined ? content.slice(start) : (content.slice(start + 1).split(quote, 1)[0] ?? "");
  const mapped = address.trim() === "" ? undefined : map.link(address.trim());
  return mapped === undefined ? content : content.slice(0, start) + mapped;
}

/** Where the address begins, after the time, a separator and `url=`. Each step reads on from the last, and none goes back. */
function refreshAddressAt(content: string): number {
  let at = 0;
  const skip = (isSkipped: (character: string) => boolean) => {
    while (at < content.length && isSkipped(content.charAt(at))) at += 1;
  };
  const skipSpace = () => skip((character) => character.trim() === "");
  skipSpace();
  skip((character) => (character >= "0" && character <= "9") || character === ".");
  skipSpace();
  if (content[at] === ";" || content[at] === ",") at += 1;
  skipSpace();
  const beforeName = at;
  if (content.slice(at, at + 3).toLowerCase() !== "url") return beforeName;
  at += 3;
  skipSpace();
  if (content[at] !== "=") return beforeName;
  at += 1;
  skipSpace();
  return at;
}
