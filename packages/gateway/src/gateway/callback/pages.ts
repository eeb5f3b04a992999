import { readFileSync } from "node:fs";
import type { CallbackQuery } from "@backplane/contract/gateway";
import { type CountedText, countText, type PreparedHeaders, prepareHeaders } from "@backplane/kit/http";
import { lazily } from "@backplane/kit/lazily";
import { type Html, html, renderStandalonePage, standalonePolicy, styleFor } from "@backplane/kit/page";
import type { FieldFault } from "@backplane/kit/problems";
import { CARDS, type Card, renderCard } from "./cards.ts";
import {
  type Delivered,
  deliveredFacts,
  faultFacts,
  providerFacts,
  type Refusal,
  refusalFacts,
  waitsForFacts,
} from "./facts.ts";
import { RELOAD, renderAsking, renderForm } from "./waiting.ts";

export type CallbackPages = ReturnType<typeof createCallbackPages>;

/** `parameters`: those of a form. Parameters from the address are never in the page. */
type WaitingFacts = { parameters?: CallbackQuery | undefined };

const FOOT = "Only the code passes through the gateway, once. Passwords and tokens never do.";

/** Marks the one part of a page that differs between requests. */
const SLOT = html`<!---->`;

const endedStyle = lazily(() =>
  styleFor(
    ...Object.values<Card>(CARDS)
      .filter(({ tone }) => tone !== "wait")
      .map((card) => renderCard(card)),
    deliveredFacts({ provider: "", atMs: 0, tookMs: 0 }),
    refusalFacts({ provider: "", error: "" }),
  ),
);
const askingStyle = lazily(() =>
  styleFor(renderAsking(CARDS.waitingUnasked, CARDS.waiting, renderForm({ state: "" })), html`<i class="on"></i>`),
);

/** Strips comments and indentation, because the scripts are part of every page. No line may start inside a string. */
const read = (name: string): string =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n");

const LEAVE_ADDRESS = read("leave-address.js");
const ASK_AGAIN = read("ask-again.js");

const policy = lazily(() =>
  standalonePolicy({
    styles: [endedStyle(), askingStyle()],
    scripts: [LEAVE_ADDRESS, ASK_AGAIN],
    connects: true,
    submits: true,
  }),
);

/** The pages of `/callback`, one per outcome. Everything but the facts of a request is rendered once, with the first request. */
export function createCallbackPages({ homeUrl, overHttps }: { homeUrl: string; overHttps: boolean }) {
  const page = (title: string, body: Html, style: string, scripts: readonly string[]) => {
    const whole = renderStandalonePage({ title, process: "gateway", homeUrl, body, foot: FOOT, style, scripts });
    const [before = "", after = ""] = whole.split(SLOT.toString());
    return (middle: Html): string => before + middle.toString() + after;
  };
  const ended = <Facts>(card: Card, render: (facts: Facts) => Html) => {
    const around = lazily(() => page(card.heading, renderCard(card, SLOT), endedStyle(), [LEAVE_ADDRESS]));
    return (facts: Facts): string => around()(render(facts));
  };
  const asking = (unasked: Card, card: Card) => {
    const around = lazily(() => {
      const body = renderAsking(unasked, card, SLOT);
      return page(unasked.heading, body, askingStyle(), [ASK_AGAIN, LEAVE_ADDRESS]);
    });
    return ({ parameters }: WaitingFacts = {}): string =>
      around()(parameters === undefined ? RELOAD : renderForm(parameters));
  };
  const nothing = () => html``;
  const headers = lazily(() => callbackHeaders({ policy: policy(), overHttps }));
  return {
    /** The same for every page. */
    get headers() {
      return headers();
    },
    delivered: reuseWithinSecond(ended<Delivered>(CARDS.delivered, deliveredFacts)),
    /** The provider sent `access_denied`. */
    declined: ended<Refusal>(CARDS.declined, refusalFacts),
    /** The provider sent any other error. */
    refused: ended<Refusal>(CARDS.refused, refusalFacts),
    /** 404: the application may come back, so the page asks again. */
    waiting: asking(CARDS.waitingUnasked, CARDS.waiting),
    /** 503: the other instances cannot be asked, so the page asks again. */
    notReady: asking(CARDS.notReadyUnasked, CARDS.notReady),
    unknown: ended<void>(CARDS.unknown, nothing),
    used: ended<void>(CARDS.used, nothing),
    expired: ended<void>(CARDS.expired, nothing),
    malformed: ended<{ faults: readonly FieldFault[] }>(CARDS.malformed, ({ faults }) => faultFacts(faults)),
    /** `provider`: the one that the application expects. */
    wrongProvider: ended(CARDS.wrongProvider, waitsForFacts),
    unconfirmed: ended(CARDS.unconfirmed, providerFacts),
  };
}

/** How many pages of the current second are kept: those of a few providers, each with a few durations. */
const MAX_KEPT_PAGES = 8;

/**
 * Under load, many codes of one provider are delivered in the same second and in the same number of milliseconds, which
 * gives the same page. The page contains nothing personal.
 */
function reuseWithinSecond(render: (facts: Delivered) => string): (facts: Delivered) => CountedText {
  let keptSecond = 0;
  let kept: { provider: string; tookMs: number; page: CountedText }[] = [];
  return (facts) => {
    const second = Math.floor(facts.atMs / 1_000);
    if (second !== keptSecond) kept = [];
    keptSecond = second;
    const { provider, tookMs } = facts;
    const known = kept.find((one) => one.tookMs === tookMs && one.provider === provider);
    if (known) return known.page;
    const page = countText(render(facts));
    if (kept.length >= MAX_KEPT_PAGES) kept.shift();
    kept.push({ provider, tookMs, page });
    return page;
  };
}

/**
 * Cross-Origin-Opener-Policy is left out on purpose: it cuts a popup off from its opener, and applications that opened
 * the popup would think that the user has closed it.
 */
const callbackHeaders = ({ policy, overHttps }: { policy: string; overHttps: boolean }): PreparedHeaders =>
  prepareHeaders([
    ...["Content-Type", "text/html; charset=utf-8"],
    ...["Content-Security-Policy", policy],
    ...["Cache-Control", "no-store"],
    ...["Referrer-Policy", "no-referrer"],
    ...["X-Content-Type-Options", "nosniff"],
    ...["X-Frame-Options", "DENY"],
    ...(overHttps ? ["Strict-Transport-Security", "max-age=31536000"] : []),
  ]);
