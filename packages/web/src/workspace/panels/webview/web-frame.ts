import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { PanelContext } from "../../panel.ts";
import { createStore } from "../../store.ts";
import { hostWords } from "./addresses.ts";
import type { Control } from "./control.ts";
import { type FrameFault, faultBefore, flooded, noPass, proxyFailed, stopped, tookKeyboard } from "./faults.ts";
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
import { createFrameElement, type FrameElement } from "./frame-element.ts";
import { createFramingWatch } from "./framing-watch.ts";
import { LEFT_WAIT_MS, LOAD_WAIT_MS, PAGE_WAIT_MS, REFRESH_WAIT_MS, TRACKER_WAIT_MS } from "./limits.ts";
import { createReporter } from "./reporter.ts";
import { listenToTracker, RELOAD, type Scroll, type TrackerEvent } from "./tracker.ts";

/** What the panel shows of its frame. */
export type FrameView = {
  readonly address: string | undefined;
  readonly isProxied: boolean;
  readonly title: string | undefined;
  readonly icon: string | undefined;
  readonly scroll: Scroll | null;
  /** When the load began, on the clock of `performance.now()`; undefined when nothing loads. */
  readonly loadingSinceMs: number | undefined;
  readonly fault: FrameFault | undefined;
  /** The page went somewhere by itself. A page that is not proxied does not say where to. */
  readonly hasMovedOn: boolean;
  /** The site may have refused to be framed: browsers do not report it. */
  readonly mayBeBlank: boolean;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
};

const EMPTY: FrameView = {
  ...{ address: undefined, isProxied: false, title: undefined, icon: undefined, scroll: null },
  ...{ loadingSinceMs: undefined, fault: undefined, hasMovedOn: false, mayBeBlank: false },
  ...{ canGoBack: false, canGoForward: false },
};

type PageEvent = TrackerEvent & { event: "page" };

const NO_SCROLL: Scroll = { x: 0, y: 0, height: 0 };

type Options = { holder: HTMLElement; context: PanelContext; control: Control; now?: () => number };

/** Connects the tab's state, the rules that follow it (`follow`), the frame, and the tracker in the frame's page. */
export class WebFrame {
  readonly #context: PanelContext;
  readonly #control: Control;
  readonly #now: () => number;
  readonly #store = createStore(EMPTY);
  readonly #frame: FrameElement;
  readonly #framing: ReturnType<typeof createFramingWatch>;
  readonly #reporter: ReturnType<typeof createReporter>;
  readonly #tracker: ReturnType<typeof listenToTracker>;
  readonly #stopState: () => void;
  #rules: Follow = START;
  #visited: Visited = NOWHERE;
  /** The step that was asked for by the back or forward button, until its page loads. */
  #step: -1 | 0 | 1 = 0;
  #awaitsLoad = false;
  /** The page was asked to reload and has not come back: it would reload over anything that is loaded now. */
  #isReloading = false;
  /** Increases with every load, so that answers about an earlier one are ignored. */
  #loads = 0;
  #waitingForLoad: (() => void)[] = [];
  #loadTimer: number | undefined;

  readonly view = this.#store.state;
  readonly subscribe = this.#store.subscribe;

  constructor({ holder, context, control, now = () => performance.now() }: Options) {
    this.#context = context;
    this.#control = control;
    this.#now = now;
    this.#frame = createFrameElement(holder, {
      onLoad: () => this.#loaded(),
      onFlood: () => this.#fail(flooded(this.view().address ?? "")),
      onTaken: () => this.#fail(tookKeyboard(this.view().address ?? "")),
    });
    this.#framing = createFramingWatch({
      ...{ ask: control.framing, now },
      onFault: (fault) => this.#refused(fault),
      onLikelyShown: () => this.#show({ mayBeBlank: false }),
    });
    this.#reporter = createReporter((shown) => {
      if (shown.url !== undefined) this.#follow({ type: "reported", url: shown.url, nowMs: now() });
      const { wanted } = this.#rules;
      context.report({ ...shown, ...(wanted ? { visit: wanted.visit } : {}) });
    });
    this.#tracker = listenToTracker({
      ...{ framesUrl: context.framesUrl, pass: control.pass },
      frameWindow: () => (this.view().isProxied ? this.#frame.window() : null),
      address: () => this.view().address,
      onEvent: (event) => this.#tracked(event),
    });
    const followState = () => this.#follow({ type: "state", wanted: wantedOf(context.state()), nowMs: now() });
    this.#stopState = context.onState(followState);
    followState();
  }

  /** Goes back or forward. Undefined when it was done, otherwise the reason why not. */
  async go(step: -1 | 1): Promise<string | undefined> {
    const url = step === -1 ? before(this.#visited) : after(this.#visited);
    if (url === undefined) return undefined;
    this.#step = step;
    const refusal = await this.#control.act({ action: "navigate", url });
    if (refusal !== undefined) this.#step = 0;
    return refusal;
  }

  /** Resolves when the load has ended, or takes too long to wait for. */
  reload(): Promise<void> {
    const { wanted, shown } = this.#rules;
    if (!wanted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, REFRESH_WAIT_MS);
    this.#reloadPage({ ...wanted, url: shown ?? wanted.url });
    this.#waitingForLoad.push(() => {
      clearTimeout(limit);
      resolve();
    });
    return promise;
  }

  /** Loads the page again and ignores from now on what the server says about its site. */
  showAnyway(): Promise<void> {
    const { address } = this.view();
    if (address !== undefined) this.#framing.waive(address);
    return this.reload();
  }

  /** Whether the server has yet to say if the page can be shown. */
  isChecking(): boolean {
    return this.#framing.isPending();
  }

  stop(): void {
    const { address, loadingSinceMs, isProxied } = this.view();
    if (address === undefined || loadingSinceMs === undefined) return;
    // A page that is already there stays.
    if (isProxied && !this.#rules.awaitsOwn) this.#endLoad({});
    else this.#fail(stopped(address));
  }

  focus(): void {
    this.#frame.focus();
  }

  dispose(): void {
    this.#loads += 1;
    this.#framing.forget();
    this.#tracker.close();
    clearTimeout(this.#loadTimer);
    this.#reporter.forget();
    this.#stopState();
    this.#frame.remove();
    for (const resume of this.#waitingForLoad) resume();
  }

  #show(change: Partial<FrameView>): void {
    this.#store.update({
      ...change,
      canGoBack: before(this.#visited) !== undefined,
      canGoForward: after(this.#visited) !== undefined,
    });
    const { title, address, icon } = this.view();
    this.#context.setIcon(icon);
    this.#frame.name(title ?? (address === undefined ? "Page" : hostWords(address)));
  }

  #follow(event: FollowEvent): void {
    const { next, act } = follow(this.#rules, event);
    this.#rules = next;
    if (act === "load" && next.wanted) void this.#load(next.wanted);
    if (act === "clear") this.#clear();
    const canReport = act === "report" && (next.shown?.length ?? 0) <= PANELS_LIMITS.maxUrlLength;
    if (canReport && next.shown !== undefined) this.#reporter.report({ url: next.shown });
  }

  async #load({ url, isProxied, popups, downloads }: Wanted): Promise<void> {
    this.#visited = arrive(this.#visited, url, this.#step);
    this.#step = 0;
    if (this.#isReloading) this.#frame.remove();
    const load = this.#beginLoad({ address: url, isProxied, title: undefined, icon: undefined, scroll: null });
    this.#context.setTitle(hostWords(url));
    const place = { pageUrl: window.location.href, framesUrl: this.#context.framesUrl };
    const fault = faultBefore(url, isProxied, place);
    if (fault) return this.#fail(fault);
    if (!isProxied) {
      this.#frame.point(url, { isProxied, popups, downloads });
      this.#framing.begin(url);
      const icon = await this.#control.icon(url);
      if (load === this.#loads) this.#show({ icon });
      return;
    }
    const pass = await this.#control.pass(url, { popups, downloads });
    if (load !== this.#loads) return;
    if (!pass.ok) return this.#fail(noPass(pass.reason));
    this.#tracker.learn(pass.src, url);
    this.#frame.point(pass.src, { isProxied, popups, downloads });
  }

  #reloadPage(page: Wanted): void {
    const origin = this.#tracker.origin();
    // While another page is on its way, the page that is still there would reload over it.
    const canAskPage = origin !== undefined && !this.view().fault && !this.#awaitsLoad;
    this.#rules = follow(this.#rules, { type: "reload" }).next;
    if (!canAskPage) return void this.#load(page);
    const load = this.#beginLoad({});
    this.#frame.window()?.postMessage(RELOAD, origin);
    this.#isReloading = true;
    this.#loadTimer = window.setTimeout(() => {
      if (load !== this.#loads || this.#tracker.origin() !== undefined) return;
      // The page hangs and did not receive it.
      this.#frame.remove();
      void this.#load(page);
    }, TRACKER_WAIT_MS);
  }

  #beginLoad(change: Partial<FrameView>): number {
    this.#loads += 1;
    this.#framing.forget();
    this.#waitAtMost(LOAD_WAIT_MS);
    this.#reporter.forget();
    this.#tracker.forgetOrigin();
    this.#isReloading = false;
    this.#awaitsLoad = true;
    this.#show({ loadingSinceMs: this.#now(), fault: undefined, hasMovedOn: false, mayBeBlank: false, ...change });
    return this.#loads;
  }

  /** A page with a streaming picture never finishes loading. */
  #waitAtMost(ms: number): void {
    clearTimeout(this.#loadTimer);
    this.#loadTimer = window.setTimeout(() => {
      this.#endLoad(this.view().isProxied ? {} : { mayBeBlank: !this.#framing.isLikelyShown() });
      this.#framing.ended("gave-up");
    }, ms);
  }

  #endLoad(change: Partial<FrameView>): void {
    this.#awaitsLoad = false;
    clearTimeout(this.#loadTimer);
    this.#show({ ...change, loadingSinceMs: undefined });
    const waiting = this.#waitingForLoad;
    this.#waitingForLoad = [];
    for (const resume of waiting) resume();
  }

  #clear(): void {
    this.#loads += 1;
    this.#framing.forget();
    this.#reporter.forget();
    this.#frame.remove();
    this.#visited = NOWHERE;
    this.#endLoad(EMPTY);
    this.#context.setTitle(undefined);
  }

  /** The frame could not show the page, according to the server. */
  #refused(fault: FrameFault): void {
    const isSaved = fault.code === "download" && this.#rules.wanted?.downloads === true;
    // Without the frame, the browser might not save the file.
    if (isSaved) this.#endLoad({});
    else this.#fail(fault);
  }

  #fail(fault: FrameFault): void {
    this.#loads += 1;
    this.#framing.forget();
    this.#frame.remove();
    this.#endLoad({ fault });
  }

  /** The frame's `load` event. */
  #loaded(): void {
    const { isProxied } = this.view();
    if (this.#awaitsLoad) {
      this.#endLoad({ mayBeBlank: !isProxied && !this.#framing.isLikelyShown() });
      this.#framing.ended("loaded");
    } else if (isProxied) this.#endLoad({});
    else {
      // Only a page that is shown can lead to another one.
      this.#framing.forget();
      this.#show({ hasMovedOn: true, mayBeBlank: false });
    }
  }

  #tracked(event: TrackerEvent): void {
    if (event.event === "page") this.#pageArrived(event);
    else if (event.event === "title") this.#setTitle(event.title);
    else if (event.event === "scroll") this.#show({ scroll: event.scroll });
    else if (event.event === "icon") this.#show({ icon: event.icon });
    else if (event.event === "failed") this.#pageFailed(event.url, proxyFailed(event));
    else this.#pageLeft(event.hasUserActivation);
  }

  #pageArrived({ url, title, scroll, hasUserActivation }: PageEvent): void {
    const own = this.#rules.awaitsOwn ? this.#rules.wanted?.url : undefined;
    this.#isReloading = false;
    this.#visited = own === undefined ? arrive(this.#visited, url, 0) : redirected(this.#visited, own, url);
    const isOther = url !== this.view().address;
    this.#show({ address: url, scroll, fault: undefined, ...(isOther ? { icon: undefined } : {}) });
    this.#follow({ type: "page", url, hasUserActivation, isPrimary: this.#context.isPrimary() });
    // The first message of a page comes before its title is known.
    if (title !== undefined || isOther) this.#setTitle(title ?? "");
    if (this.view().loadingSinceMs !== undefined) this.#waitAtMost(PAGE_WAIT_MS);
  }

  #pageLeft(hasUserActivation: boolean): void {
    this.#follow({ type: "leaving", hasUserActivation });
    if (this.#awaitsLoad) return;
    // It may have been left for a download, and then no other page comes.
    this.#waitAtMost(LEFT_WAIT_MS);
    this.#show({ loadingSinceMs: this.#now() });
  }

  /** The panel stays at the address that failed, so that "Try again" goes there in every browser. */
  #pageFailed(url: string | undefined, fault: FrameFault): void {
    if (url !== undefined)
      this.#pageArrived({ event: "page", url, title: undefined, scroll: NO_SCROLL, hasUserActivation: false });
    this.#fail(fault);
  }

  #setTitle(title: string): void {
    this.#show({ title: title || undefined });
    const { address } = this.view();
    this.#context.setTitle(title || (address === undefined ? undefined : hostWords(address)));
    if (title !== "" && this.#context.isPrimary() && title !== this.#context.state().title)
      this.#reporter.report({ title });
  }
}
