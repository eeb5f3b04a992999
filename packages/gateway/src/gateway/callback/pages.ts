import type { CallbackQuery } from "@backplane/contract/gateway";
import { type Html, html, renderStandalonePage, standalonePolicy, styleFor } from "@backplane/kit/page";
import type { FieldFault } from "@backplane/kit/problems";
import { renderCard } from "./card.ts";
import { CARDS, type Card } from "./cards.ts";
import {
  type Delivered,
  deliveredFacts,
  faultFacts,
  providerFacts,
  type Refusal,
  refusalFacts,
  waitsForFacts,
} from "./facts.ts";
import { callbackHeaders } from "./headers.ts";
import { ASK_AGAIN, LEAVE_ADDRESS } from "./scripts.ts";
import { RELOAD, renderAsking, renderForm } from "./waiting.ts";

export type CallbackPages = ReturnType<typeof createCallbackPages>;

/** `parameters`: what came as a form. What came in the address is never in the page. */
type Asked = { parameters?: CallbackQuery | undefined };

const FOOT = "Only the code passes through here, once. Passwords and tokens never do.";

/** Stands for the one part of a page that differs from request to request. */
const SLOT = html`<!---->`;

const ENDED_STYLE = styleFor(
  ...Object.values<Card>(CARDS)
    .filter(({ tone }) => tone !== "wait")
    .map((card) => renderCard(card)),
  deliveredFacts({ provider: "", atMs: 0, tookMs: 0 }),
  refusalFacts({ provider: "", error: "" }),
);
const ASKING_STYLE = styleFor(
  renderAsking(CARDS.waitingUnasked, CARDS.waiting, renderForm({ state: "" })),
  html`<i class="on"></i>`,
);

const POLICY = standalonePolicy({
  styles: [ENDED_STYLE, ASKING_STYLE],
  scripts: [LEAVE_ADDRESS, ASK_AGAIN],
  connects: true,
  submits: true,
});

/** What `/callback` answers to people: a page for each outcome. All but the facts of one request is made here, once. */
export function createCallbackPages({ homeUrl, overHttps }: { homeUrl: string; overHttps: boolean }) {
  const page = (title: string, body: Html, style: string, scripts: readonly string[]) => {
    const whole = renderStandalonePage({ title, process: "gateway", homeUrl, body, foot: FOOT, style, scripts });
    const [before = "", after = ""] = whole.split(SLOT.toString());
    return (middle: Html): string => before + middle.toString() + after;
  };
  const ended = <Facts>(card: Card, render: (facts: Facts) => Html) => {
    const around = page(card.heading, renderCard(card, SLOT), ENDED_STYLE, [LEAVE_ADDRESS]);
    return (facts: Facts): string => around(render(facts));
  };
  const asking = (unasked: Card, card: Card) => {
    const body = renderAsking(unasked, card, SLOT);
    const around = page(unasked.heading, body, ASKING_STYLE, [ASK_AGAIN, LEAVE_ADDRESS]);
    return ({ parameters }: Asked = {}): string => around(parameters === undefined ? RELOAD : renderForm(parameters));
  };
  const nothing = () => html``;
  return {
    /** For `response.writeHead`, of whichever page. */
    headers: callbackHeaders({ policy: POLICY, overHttps }),
    delivered: untilTheNextSecond(ended<Delivered>(CARDS.delivered, deliveredFacts)),
    /** The provider's error is `access_denied`. */
    declined: ended<Refusal>(CARDS.declined, refusalFacts),
    /** The provider's error is any other. */
    refused: ended<Refusal>(CARDS.refused, refusalFacts),
    /** 404: the application may come back; the page asks again. */
    waiting: asking(CARDS.waitingUnasked, CARDS.waiting),
    /** 503: the other instances cannot be asked; the page asks again. */
    notReady: asking(CARDS.notReadyUnasked, CARDS.notReady),
    unknown: ended<void>(CARDS.unknown, nothing),
    used: ended<void>(CARDS.used, nothing),
    expired: ended<void>(CARDS.expired, nothing),
    malformed: ended<{ faults: readonly FieldFault[] }>(CARDS.malformed, ({ faults }) => faultFacts(faults)),
    /** `provider`: the one that the application waits for. */
    wrongProvider: ended(CARDS.wrongProvider, waitsForFacts),
    unconfirmed: ended(CARDS.unconfirmed, providerFacts),
  };
}

/**
 * Under load many codes of one provider are delivered in the same second, each as quickly as the last: the same page.
 * What is kept was shown to somebody already, and says nothing about them.
 */
function untilTheNextSecond(render: (facts: Delivered) => string): (facts: Delivered) => string {
  let last = { provider: "", second: 0, tookMs: 0, page: "" };
  return (facts) => {
    const second = Math.floor(facts.atMs / 1_000);
    const { provider, tookMs } = facts;
    if (last.second !== second || last.provider !== provider || last.tookMs !== tookMs) {
      last = { provider, second, tookMs, page: render(facts) };
    }
    return last.page;
  };
}
