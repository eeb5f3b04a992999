import {
  type CallbackQuery,
  GATEWAY_LIMITS,
  WAITING_PAGE_INTERVAL_MS,
  WAITING_PAGE_MS,
} from "@backplane/contract/gateway";
import { type Html, html } from "@backplane/kit/page";
import { renderCard } from "./card.ts";
import { CARDS, type Card } from "./cards.ts";
import { DELIVERED_SLOTS, MAX_DESCRIPTION_LENGTH, REFUSAL_SLOTS } from "./facts.ts";

const LIMITS = {
  waitMs: WAITING_PAGE_MS,
  everyMs: WAITING_PAGE_INTERVAL_MS,
  /** One question. Longer than the gateway itself may wait for the application. */
  askMs: GATEWAY_LIMITS.ackWaitMs + 2_000,
  maxLength: MAX_DESCRIPTION_LENGTH,
};

const STEPS = WAITING_PAGE_MS / WAITING_PAGE_INTERVAL_MS;

const METER = html`<div class="card-body"><div class="spread dense"><span>Asking again every second</span><span class="muted" data-left>${WAITING_PAGE_MS / 1_000} s left</span></div>
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
 * What is read without script, with the way to ask by hand; then what the script shows instead while it asks, and all
 * that it may end with.
 */
export const renderAsking = (unasked: Card, asking: Card, byHand: Html): Html =>
  html`${renderCard(unasked, byHand)}
<template id="asking" data-limits="${JSON.stringify(LIMITS)}">${renderCard(asking, METER)}</template>${RESULTS}`;

/** The answer came in the address: it stays there until the script takes it, and never is in the page. */
export const RELOAD = html`<p class="card-body dense">Reload this page to ask again. With JavaScript on, it asks by itself.</p>`;

/** The answer came as a form, which is in no address: the page gives it back to the browser, and to nobody else. */
export const renderForm = (parameters: CallbackQuery): Html =>
  html`<form class="card-body" method="post">${Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="btn primary">Ask again</button></form>`;
