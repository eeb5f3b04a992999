// Runs in every page of a proxied site, before its own scripts. `place` is {site, ancestors, popups, go, cookie, attributes}.
// The page may do anything with it: nothing here is secret, and only the sandbox keeps the page in.
((place) => {
  const { site, ancestors, popups, go, cookie, attributes } = place;
  const here = location.origin;
  const { parent, top } = window;
  const holder = location.ancestorOrigins?.[0];
  // Frames within the page report nothing.
  const isPanel = parent !== window && parent === top && (holder === undefined || ancestors.includes(holder));

  const realUrl = () => site + location.pathname + location.search + location.hash;
  const parse = (address) => {
    try {
      return new URL(address, document.baseURI);
    } catch {
      return undefined;
    }
  };
  const isWeb = ({ protocol }) => protocol === "http:" || protocol === "https:";
  const asSocket = (origin) => origin.replace(/^http/, "ws");
  /** The address within the frame; undefined: unchanged. */
  const inFrame = (url) => {
    if (url.origin === site) return here + url.pathname + url.search + url.hash;
    if (url.origin === asSocket(site)) return asSocket(here) + url.pathname + url.search;
    return undefined;
  };
  const throughProxy = (url) => {
    if (url.origin === here || !isWeb(url)) return undefined;
    return inFrame(url) ?? here + go + encodeURIComponent(url.href);
  };

  const tell = (event, more) => {
    if (!isPanel) return;
    const message = {
      ...{ backplane: "webview", event, url: realUrl(), title: document.title },
      ...{ x: Math.round(window.scrollX), y: Math.round(window.scrollY) },
      height: document.documentElement?.scrollHeight ?? 0,
      hasUserActivation: navigator.userActivation?.isActive ?? false,
      ...more,
    };
    for (const origin of holder === undefined ? ancestors : [holder]) parent.postMessage(message, origin);
  };

  // ── Reports of what is shown ──
  for (const name of ["pushState", "replaceState"]) {
    const original = history[name];
    history[name] = function (state, unused, address) {
      const url = address === undefined || address === null ? undefined : parse(address);
      const result = original.call(this, state, unused, (url && inFrame(url)) ?? address);
      tell("page");
      return result;
    };
  }
  for (const name of ["popstate", "hashchange"]) addEventListener(name, () => tell("page"));
  addEventListener("pageshow", ({ persisted }) => persisted && tell("page"));
  // Not on unload: a message that is sent then has no source.
  addEventListener("beforeunload", () => tell("leaving"));

  let isScrollTold = true;
  const onScroll = () => {
    if (!isScrollTold) return;
    isScrollTold = false;
    requestAnimationFrame(() => {
      isScrollTold = true;
      tell("scroll");
    });
  };
  addEventListener("scroll", onScroll, { passive: true });

  const watchTitle = () => {
    let last = document.title;
    new MutationObserver(() => {
      if (document.title === last) return;
      last = document.title;
      tell("title");
    }).observe(document.head ?? document.documentElement, { childList: true, subtree: true, characterData: true });
  };

  const ICON_SIDE = 64;
  // As a small PNG, the only kind that the workspace takes from a page: what a picture takes to draw is the page's affair.
  const tellIcon = async () => {
    const link = document.querySelector('link[rel~="icon" i][href]');
    const url = parse(link ? link.href : "/favicon.ico");
    if (!url || url.origin !== here) return;
    const image = new Image();
    image.src = url.href;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: ICON_SIDE, height: ICON_SIDE });
    canvas.getContext("2d").drawImage(image, 0, 0, ICON_SIDE, ICON_SIDE);
    tell("icon", { icon: canvas.toDataURL("image/png") });
  };
  const onReady = () => {
    watchTitle();
    tell("page");
    if (isPanel) tellIcon().catch(() => {});
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", onReady);
  else onReady();
  tell("page");

  addEventListener("message", (event) => {
    const order = event.data;
    if (event.source !== parent || !ancestors.includes(event.origin) || order?.backplane !== "webview") return;
    event.stopImmediatePropagation();
    if (order.do === "back") history.back();
    else if (order.do === "forward") history.forward();
    else if (order.do === "reload") location.reload();
    else if (order.do === "scrollTo") scrollTo(Number(order.x) || 0, Number(order.y) || 0);
    else if (order.do === "report") tell("page");
  });

  // ── Navigation stays in the frame ──
  window.navigation?.addEventListener("navigate", (event) => {
    const url = parse(event.destination.url);
    const address = url && throughProxy(url);
    if (address === undefined || !event.cancelable || event.formData || event.navigationType === "traverse") return;
    event.preventDefault();
    location.assign(address);
  });
  /** The address at the site itself: a window outside of the panel has no pass for the frame. */
  const outside = (url) => {
    if (url.origin !== here) return url.href;
    if (url.pathname.startsWith(go)) return decodeURIComponent(url.pathname.slice(go.length));
    return site + url.pathname + url.search + url.hash;
  };
  const { open: openWindow } = window;
  window.open = (address, ...rest) => {
    const url = address === undefined || address === "" ? undefined : parse(address);
    if (popups) return openWindow.call(window, url && outside(url), ...rest);
    if (url && isWeb(url)) location.assign(throughProxy(url) ?? url.href);
    return window;
  };
  const hasFrame = (name) => [...document.querySelectorAll("iframe[name], frame[name]")].some((it) => it.name === name);
  const keepInFrame = (event) => {
    const element = event.target?.closest?.("a[target], area[target], form[target]") ?? event.submitter?.form;
    if (!element?.target || element.target === "_self" || hasFrame(element.target)) return;
    const url = popups && typeof element.href === "string" ? parse(element.href) : undefined;
    if (url) element.href = outside(url);
    else element.target = "_self";
  };
  addEventListener("click", keepInFrame, true);
  addEventListener("submit", keepInFrame, true);

  // ── Requests of scripts to the site's own origin ──
  const mapped = (address) => {
    const url = parse(address);
    return (url && inFrame(url)) ?? address;
  };
  const { fetch: fetchOriginal } = window;
  window.fetch = (input, options) => {
    if (!(input instanceof Request)) return fetchOriginal(mapped(input), options);
    const address = mapped(input.url);
    return fetchOriginal(address === input.url ? input : new Request(address, input), options);
  };
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    return open.call(this, method, mapped(address), ...rest);
  };
  for (const name of ["WebSocket", "EventSource"]) {
    window[name] = class extends window[name] {
      constructor(address, options) {
        // Passing undefined is not the same as passing no argument.
        if (options === undefined) super(mapped(address));
        else super(mapped(address), options);
      }
    };
  }

  // ── What browsers deny to a frame of another site ──
  const cookies = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(document, "cookie", {
    configurable: true,
    get: () => cookies.get.call(document),
    set(line) {
      const [pair, ...rest] = String(line).split(";");
      if (
        pair
          .replace(/^[\s=]+/, "")
          .split("=")[0]
          .trim() === cookie
      )
        return;
      const kept = rest.filter((part) => /^\s*(path|max-age|expires)\s*(=|$)/i.test(part));
      cookies.set.call(document, [pair, ...kept, ` ${attributes}`].join(";"));
    },
  });

  const memoryStorage = () => {
    const items = new Map();
    const methods = {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, value) => void items.set(String(key), String(value)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
    };
    const own = (key) => typeof key === "string" && items.has(key);
    return new Proxy(methods, {
      get: (_, key) => (key in methods ? methods[key] : key === "length" ? items.size : items.get(key)),
      set: (_, key, value) => Boolean(items.set(String(key), String(value))),
      has: (_, key) => key in methods || own(key),
      deleteProperty: (_, key) => items.delete(key) || true,
      ownKeys: () => [...new Set([...Reflect.ownKeys(methods), ...items.keys()])],
      getOwnPropertyDescriptor: (_, key) =>
        own(key)
          ? { value: items.get(key), configurable: true, enumerable: true, writable: true }
          : key in methods
            ? { value: methods[key], configurable: true, enumerable: false, writable: true }
            : undefined,
    });
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].length;
    } catch {
      Object.defineProperty(window, name, { configurable: true, value: memoryStorage() });
    }
  }
})(PLACE);
