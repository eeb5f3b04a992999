import {
  type CallbackQuery,
  GATEWAY_LIMITS,
  WAITING_PAGE_INTERVAL_MS,
  WAITING_PAGE_MS,
} from "@backplane/contract/gateway";
import { type Html, html } from "@backplane/kit/page";
import { CARDS, type Card, renderCard } from "./cards.ts";
import { DELIVERED_SLOTS, MAX_DESCRIPTION_LENGTH, REFUSAL_SLOTS } from "./facts.ts";

const LIMITS = {
  waitMs: WAITING_PAGE_MS,
  everyMs: WAITING_PAGE_INTERVAL_MS,
  /** One request. Longer than the gateway itself may wait for the application. */
  askMs: GATEWAY_LIMITS.ackWaitMs + 2_000,
  maxLength: MAX_DESCRIPTION_LENGTH,
};

const STEPS = WAITING_PAGE_MS / WAITING_PAGE_INTERVAL_MS;

const METER = html`<div class="card-body"><div class="spread dense"><span>Retrying every second</span><span class="muted" data-left>${WAITING_PAGE_MS / 1_000} s left</span></div>
<div class="pins wide" role="progressbar" aria-label="Seconds waited" aria-valuemin="0" aria-valuemax="${STEPS}" aria-valuenow="0">${Array.from({ length: STEPS }, () => html`<i></i>`)}</div></div>`;

const template = (id: string, card: Html): Html => html`
<template id="${id}">${card}</template>`;

const RESULTS = [
  template("delivered", renderCard(CARDS.delivered, DELIVERED_SLOTS)),
  template("declined", renderCard(CARDS.declined, REFUSAL_SLOTS)),
  template("refused", renderCard(CARDS.refused, REFUSAL_SLOTS)),
  ...(["used", "expired", "malformed", "wrongProvider", "unconfirmed", "unknown", "unreachable"] as const).map((id) =>
    template(id, renderCard(CARDS[id])),
  ),
];

/**
 * What is shown without JavaScript, with a way to try again; then what the script shows while it asks, and every card
 * that it may end with.
 */
export const renderAsking = (unasked: Card, asking: Card, byHand: Html): Html =>
  html`${renderCard(unasked, byHand)}
<template id="asking" data-limits="${JSON.stringify(LIMITS)}">${renderCard(asking, METER)}</template>${RESULTS}`;

/** The parameters came in the address: they stay there until the script takes them, and are never in the page. */
export const RELOAD = html`<p class="card-body dense">Reload this page to try again. With JavaScript enabled, it retries by itself.</p>`;

/** The parameters came in a form, so they are in no address: the page gives them back to the browser. */
export const renderForm = (parameters: CallbackQuery): Html =>
  html`<form class="card-body" method="post">${Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="btn primary">Try again</button></form>`;
