import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { PanelContext } from "../../panel.ts";
import { hostWords } from "./addresses.ts";
import type { Control } from "./control.ts";
import { type FrameFault, faultBefore, noPass, proxyFailed, stopped } from "./faults.ts";
import {
  after,
  arrive,
  before,
  type Follow,
  type FollowEvent,
  follow,
  NOWHERE,
  redirected,
  START,
  type Visited,
  type Wanted,
  wantedOf,
} from "./follow.ts";
import { createFrameElement } from "./frame-element.ts";
import { createFramingWatch } from "./framing-watch.ts";
import {
  LEFT_WAIT_MS,
  LOAD_WAIT_MS,
  MAX_HELD_MESSAGES,
  PAGE_WAIT_MS,
  REFRESH_WAIT_MS,
  TRACKER_WAIT_MS,
} from "./limits.ts";
import { createReporter } from "./reporter.ts";
import {
  createIntake,
  createKnownSites,
  isSiteOrigin,
  RELOAD,
  readTracker,
  type Scroll,
  type TrackerEvent,
} from "./tracker.ts";

export type WebFrame = {
  view(): FrameView;
  subscribe(listener: () => void): () => void;
  go(step: -1 | 1): Promise<string | undefined>;
  /** Resolves when the load has ended, or is taking too long to wait for. */
  reload(): Promise<void>;
  /** Loads it again whatever the server says of it, from now on. */
  showAnyway(): Promise<void>;
  /** Whether the server has still to say if the page can be shown. */
  isChecking(): boolean;
  stop(): void;
  focus(): void;
  dispose(): void;
};

type PageEvent = TrackerEvent & { event: "page" };

const NO_SCROLL: Scroll = { x: 0, y: 0, height: 0 };

type Ground = { holder: HTMLElement; context: PanelContext; control: Control; now?: () => number };

/** Joins the state, the rules (`follow`), the frame and its tracker. */
export function createWebFrame({ holder, context, control, now = () => performance.now() }: Ground): WebFrame {
  const listeners = new Set<() => void>();
  const place = { pageUrl: window.location.href, framesUrl: context.framesUrl };
  let view = EMPTY;
  let rules: Follow = START;
  let visited: Visited = NOWHERE;
  let asked: -1 | 0 | 1 = 0;
  let awaitsLoad = false;
  /** Of the tracker that spoke last; undefined before one did. */
  let trackerOrigin: string | undefined;
  /** The page was told to reload and has not come back: whatever is loaded now, it would reload over it. */
  let isReloading = false;
  let loads = 0;
  let waiters: (() => void)[] = [];
  let patience: number | undefined;
  const intake = createIntake();
  const sites = createKnownSites(control.pass);
  /** What came from a host of which the server has not said yet whose it is. */
  let unproven: { origin: string; said: TrackerEvent[] } | undefined;

  const frame = createFrameElement(holder, loaded);
  const framing = createFramingWatch({
    ...{ ask: control.framing, onFault: fail, now },
    onAllowed: () => show({ mayBeBlank: false }),
  });
  const reporter = createReporter((shown) => {
    if (shown.url !== undefined) step({ type: "reported", url: shown.url, nowMs: now() });
    context.report({ ...shown, ...(rules.wanted ? { visit: rules.wanted.visit } : {}) });
  });

  function show(change: Partial<FrameView>): void {
    view = {
      ...view,
      ...change,
      canGoBack: before(visited) !== undefined,
      canGoForward: after(visited) !== undefined,
    };
    frame.name(view.title ?? (view.address === undefined ? "Page" : hostWords(view.address)));
    for (const listener of listeners) listener();
  }

  function step(event: FollowEvent): void {
    const { next, act } = follow(rules, event);
    rules = next;
    if (act === "load" && next.wanted) load(next.wanted);
    if (act === "clear") clear();
    if (act === "report" && next.shown !== undefined) tellAddress(next.shown);
  }

  function tellAddress(url: string): void {
    if (url.length <= PANELS_LIMITS.maxUrlLength) reporter.tell({ url });
  }

  function clear(): void {
    loads += 1;
    framing.forget();
    reporter.forget();
    frame.remove();
    visited = NOWHERE;
    endLoad(EMPTY);
    context.setTitle(undefined);
  }

  function beginLoad(change: Partial<FrameView>): number {
    loads += 1;
    framing.forget();
    waitAtMost(LOAD_WAIT_MS);
    reporter.forget();
    trackerOrigin = undefined;
    isReloading = false;
    awaitsLoad = true;
    show({ ...{ loadingSinceMs: now(), fault: undefined, hasWandered: false, mayBeBlank: false }, ...change });
    return loads;
  }

  function endLoad(change: Partial<FrameView>): void {
    awaitsLoad = false;
    clearTimeout(patience);
    show({ ...change, loadingSinceMs: undefined });
    const waited = waiters;
    waiters = [];
    for (const resume of waited) resume();
  }

  function fail(fault: FrameFault): void {
    loads += 1;
    framing.forget();
    frame.remove();
    endLoad({ fault });
  }

  async function load({ url, isProxied }: Wanted): Promise<void> {
    visited = arrive(visited, url, asked);
    asked = 0;
    if (isReloading) frame.remove();
    const mine = beginLoad({ address: url, isProxied, title: undefined, icon: undefined, scroll: null });
    context.setTitle(hostWords(url));
    const fault = faultBefore(url, isProxied, place);
    if (fault) {
      fail(fault);
      return;
    }
    if (!isProxied) {
      frame.point(url, false);
      framing.begin(url);
      return;
    }
    const passed = await control.pass(url);
    if (mine !== loads) return;
    if (passed.ok) {
      sites.learn(passed.src, url);
      frame.point(passed.src, true);
    } else fail(noPass(passed.words));
  }

  function loaded(): void {
    if (awaitsLoad) {
      endLoad({ mayBeBlank: !view.isProxied && !framing.isAllowed() });
      framing.ended("loaded");
    } else if (view.isProxied) endLoad({});
    else {
      // Only a page that is there leads on.
      framing.forget();
      show({ hasWandered: true, mayBeBlank: false });
    }
  }

  function heard({ source, origin, data }: MessageEvent): void {
    const own = frame.window();
    if (own === null || !view.isProxied || !isSiteOrigin(origin, context.framesUrl)) return;
    const said = readTracker(data);
    if (!said) return;
    if (source === own) intake.take(said.event, () => source === frame.window() && believe(origin, said));
    else if (source === null && said.event === "leaving" && origin === trackerOrigin && said.url === view.address) {
      // A page in a process of its own is gone when its last words come: they name no window any more.
      tracked(said);
    }
  }

  function believe(origin: string, said: TrackerEvent): void {
    const url = "url" in said ? said.url : undefined;
    const judged = sites.judge(origin, url);
    // Without a pass nobody knows where the page would have been.
    if (judged === "true" || (judged === "unknown" && said.event === "failed" && url === undefined)) {
      trackerOrigin = origin;
      tracked(said);
    } else if (judged === "unknown") prove(origin, said, url);
  }

  function prove(origin: string, said: TrackerEvent, url: string | undefined): void {
    if (unproven?.origin === origin) {
      if (unproven.said.length < MAX_HELD_MESSAGES) unproven.said.push(said);
      return;
    }
    if (url === undefined) return;
    const held = { origin, said: [said] };
    unproven = held;
    void sites.find(origin, url).then(() => {
      if (unproven !== held) return;
      unproven = undefined;
      for (const each of held.said) {
        if (sites.judge(origin, "url" in each ? each.url : undefined) === "true") believe(origin, each);
      }
    });
  }

  function tracked(said: TrackerEvent): void {
    if (said.event === "page") came(said);
    else if (said.event === "title") named(said.title);
    else if (said.event === "scroll") show({ scroll: said.scroll });
    else if (said.event === "icon") show({ icon: said.icon });
    else if (said.event === "failed") failed(said.url, proxyFailed(said));
    else left(said.hasUserActivation);
  }

  function left(hasUserActivation: boolean): void {
    step({ type: "leaving", hasUserActivation });
    if (awaitsLoad) return;
    // What it is left for may be a download, or nothing at all: no page comes then.
    waitAtMost(LEFT_WAIT_MS);
    show({ loadingSinceMs: now() });
  }

  function came({ url, title, scroll, hasUserActivation }: PageEvent): void {
    const own = rules.awaitsOwn ? rules.wanted?.url : undefined;
    isReloading = false;
    visited = own === undefined ? arrive(visited, url, 0) : redirected(visited, own, url);
    const isOther = url !== view.address;
    show({ address: url, scroll, fault: undefined, ...(isOther ? { icon: undefined } : {}) });
    step({ type: "page", url, hasUserActivation, isPrimary: context.isPrimary() });
    // The first word of a page comes before its title.
    if (title !== undefined || isOther) named(title ?? "");
    if (view.loadingSinceMs !== undefined) waitAtMost(PAGE_WAIT_MS);
  }

  /** A picture that streams never ends, and neither does the load of the page that holds it. */
  function waitAtMost(ms: number): void {
    clearTimeout(patience);
    patience = window.setTimeout(() => {
      endLoad(view.isProxied ? {} : { mayBeBlank: !framing.isAllowed() });
      framing.ended("gave-up");
    }, ms);
  }

  /** The place that could not be shown is still where the panel is: "Try again" goes there, for everybody. */
  function failed(url: string | undefined, fault: FrameFault): void {
    if (url !== undefined) came({ event: "page", url, title: undefined, scroll: NO_SCROLL, hasUserActivation: false });
    fail(fault);
  }

  function named(title: string): void {
    show({ title: title || undefined });
    context.setTitle(title || (view.address === undefined ? undefined : hostWords(view.address)));
    if (title !== "" && context.isPrimary() && title !== context.state().title) reporter.tell({ title });
  }

  function reload(): Promise<void> {
    const { wanted, shown } = rules;
    if (!wanted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, REFRESH_WAIT_MS);
    const [origin, isLoading] = [trackerOrigin, awaitsLoad];
    rules = follow(rules, { type: "reload" }).next;
    const again = { ...wanted, url: shown ?? wanted.url };
    // While another page is on its way, the one that is still there would reload over it.
    if (origin !== undefined && !view.fault && !isLoading) {
      const mine = beginLoad({});
      frame.window()?.postMessage(RELOAD, origin);
      isReloading = true;
      patience = window.setTimeout(() => {
        if (mine !== loads || trackerOrigin !== undefined) return;
        // A page that hangs did not hear it.
        frame.remove();
        void load(again);
      }, TRACKER_WAIT_MS);
    } else void load(again);
    waiters.push(() => {
      clearTimeout(limit);
      resolve();
    });
    return promise;
  }

  window.addEventListener("message", heard);
  const stopState = context.onState((state) => step({ type: "state", wanted: wantedOf(state), nowMs: now() }));
  step({ type: "state", wanted: wantedOf(context.state()), nowMs: now() });

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async go(way) {
      const url = way === -1 ? before(visited) : after(visited);
      if (url === undefined) return undefined;
      asked = way;
      const words = await control.ask({ action: "navigate", url });
      if (words !== undefined) asked = 0;
      return words;
    },
    reload,
    showAnyway() {
      if (view.address !== undefined) framing.waive(view.address);
      return reload();
    },
    isChecking: framing.isPending,
    stop() {
      if (view.address === undefined || view.loadingSinceMs === undefined) return;
      // What is there already stays.
      if (view.isProxied && !rules.awaitsOwn) endLoad({});
      else fail(stopped(view.address));
    },
    focus: frame.focus,
    dispose() {
      loads += 1;
      framing.forget();
      unproven = undefined;
      intake.close();
      clearTimeout(patience);
      reporter.forget();
      window.removeEventListener("message", heard);
      stopState();
      frame.remove();
      listeners.clear();
      for (const resume of waiters) resume();
    },
  };
}

export type FrameView = {
  readonly address: string | undefined;
  readonly isProxied: boolean;
  readonly title: string | undefined;
  readonly icon: string | undefined;
  readonly scroll: Scroll | null;
  /** Since when it loads, on the clock of `performance.now()`. */
  readonly loadingSinceMs: number | undefined;
  readonly fault: FrameFault | undefined;
  /** Directly shown pages do not tell where they went; only that they did is known. */
  readonly hasWandered: boolean;
  /** Nobody can tell whether the site let itself be framed. */
  readonly mayBeBlank: boolean;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
};

const EMPTY: FrameView = {
  ...{ address: undefined, isProxied: false, title: undefined, icon: undefined, scroll: null },
  ...{ loadingSinceMs: undefined, fault: undefined, hasWandered: false, mayBeBlank: false },
  ...{ canGoBack: false, canGoForward: false },
};
