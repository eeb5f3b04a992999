import { goPath, placeOf } from "../passes/frame-addresses.ts";

/** Where a page is: its own address at the site, and the origin it has in the frame. */
export type PagePlace = { url: URL; frame: string };

export type AddressMap = {
  /** A `<base>` moves what relative addresses mean. */
  setBase(href: string): void;
  /** For what is loaded into the page: of the site itself it comes through the proxy. Undefined: stays as it is. */
  part(address: string): string | undefined;
  /** For where the page leads: other sites are reached through the proxy as well. Undefined: stays as it is. */
  link(address: string): string | undefined;
};

const HAS_ORIGIN = /^\s*(?:https?:|[\\/]{2})/i;

export function createAddressMap({ url, frame }: PagePlace): AddressMap {
  let base = url;
  /** With a base of another site, a path alone would lead there. */
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

/** `5; url=/next`, as of a Refresh header or its `<meta>`. */
export function rewriteRefresh(content: string, map: AddressMap): string {
  const [, before = "", , address = ""] = REFRESH.exec(content) ?? [];
  const mapped = address === "" ? undefined : map.link(address);
  return mapped === undefined ? content : before + mapped;
}
