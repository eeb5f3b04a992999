import { GATEWAY_LIMITS, REGISTRATION_LIFE_MS, WAITING_PAGE_MS } from "@backplane/contract/gateway";
import { type Html, html } from "@backplane/kit/page";

// Lines on a grid of 16 pixels.
const CHECK = html`<path d="M3 8.5l3.25 3.25L13 4.5"/>`;
const STOP = html`<path d="M5.3 1.75h5.4l3.55 3.55v5.4l-3.55 3.55H5.3l-3.55-3.55V5.3zM5.75 5.75l4.5 4.5M10.25 5.75l-4.5 4.5"/>`;
const ARC = html`<path d="M8 1.75A6.25 6.25 0 1 1 1.75 8"/>`;
const INFO = html`<circle cx="8" cy="8" r="6.25"/><path d="M8 7.25v4M8 4.75v.05"/>`;
const CLOCK = html`<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.5 1.5"/>`;

export type Card = {
  heading: string;
  /** What happened. */
  lead: string;
  icon: Html;
  tone?: "ok" | "warn" | "wait";
  /** The next step. */
  next?: string;
  /** Useful to some readers; shown less prominently. */
  hint?: string;
};

const WAIT = `${WAITING_PAGE_MS / 1_000} seconds`;
const LIFE = `${REGISTRATION_LIFE_MS / 60_000} minutes`;
const ACK_WAIT = `${GATEWAY_LIMITS.ackWaitMs / 1_000} seconds`;

const KEPT = "The code is kept only in this browser. The gateway does not store codes.";

export const CARDS = {
  delivered: {
    heading: "Code delivered",
    lead: "The application has the code and continues by itself. You can close this window.",
    icon: CHECK,
    tone: "ok",
  },
  declined: {
    heading: "The provider declined",
    lead: "The application has been informed and got no code. You can close this window.",
    icon: STOP,
    tone: "warn",
    hint: "While the provider's app is in testing, its owner must add your account to the test users. Then start again from the application.",
  },
  refused: {
    heading: "The provider refused",
    lead: "The application has been informed and got no code. You can close this window.",
    icon: STOP,
    tone: "warn",
    hint: "Start again from the application in a minute. If it happens again, show this message to the application's owner.",
  },
  waiting: {
    heading: "Waiting for the application",
    lead: "The application lost its connection. It gets the code as soon as it is back. Keep this window open.",
    icon: ARC,
    tone: "wait",
    hint: KEPT,
  },
  waitingUnasked: {
    heading: "No application is waiting",
    lead: "The application may have lost its connection. When it is back, try again and it gets the code.",
    icon: INFO,
    hint: KEPT,
  },
  notReady: {
    heading: "Waiting for the gateway",
    lead: "The gateway cannot reach the application right now. As soon as it can, the application gets the code. Keep this window open.",
    icon: ARC,
    tone: "wait",
    hint: KEPT,
  },
  notReadyUnasked: {
    heading: "The gateway is not ready",
    lead: "The gateway cannot reach the application right now. Try again in a few seconds.",
    icon: INFO,
    hint: KEPT,
  },
  unknown: {
    heading: "No application is waiting",
    lead: `No application came back within ${WAIT}. The code was not delivered and has been discarded.`,
    icon: INFO,
    next: "Check that the application is running and can reach the gateway, then sign in again from the application.",
  },
  unreachable: {
    heading: "The gateway is not responding",
    lead: `There was no answer for ${WAIT}. The code has been discarded.`,
    icon: INFO,
    next: "Check the application. If it is still waiting, sign in again from the application once the gateway is back.",
  },
  used: {
    heading: "Already delivered",
    lead: "This address works only once, and the application already has its code. You can close this window.",
    icon: CHECK,
    hint: "If the application is still waiting, sign in again from the application. It will use a new address.",
  },
  expired: {
    heading: "The sign-in took too long",
    lead: `Applications wait ${LIFE} for a sign-in. That time is over, and nothing was delivered.`,
    icon: CLOCK,
    next: "Sign in again from the application.",
  },
  malformed: {
    heading: "This address is incomplete",
    lead: "Parameters that the provider should have sent are missing or invalid. Nothing was delivered.",
    icon: STOP,
    tone: "warn",
    next: "If the application has already continued, close this window. If it is still waiting, sign in again from the application.",
  },
  wrongProvider: {
    heading: "Wrong provider",
    lead: "The answer came to the address of a different provider. Nothing was delivered.",
    icon: STOP,
    tone: "warn",
    next: "Sign in again from the application. If you end up here again, the application's owner must correct the redirect URI.",
  },
  unconfirmed: {
    heading: "Sent, not confirmed",
    lead: `The answer was sent to the application, which did not confirm it within ${ACK_WAIT}.`,
    icon: CLOCK,
    tone: "warn",
    next: "Check the application. If it is still waiting, sign in again from the application.",
  },
} as const satisfies Record<string, Card>;

export type Fact = readonly [term: string, value: string | Html];

const NOTHING = html``;

/** Only the heading and lead are a live region: a screen reader must not read the countdown below every second. */
export const renderCard = ({ heading, lead, icon, tone, next, hint }: Card, middle: Html = NOTHING): Html =>
  html`<div class="card">
<div class="outcome" role="status"><span class="glyph${tone === undefined ? "" : ` ${tone}`}"><svg class="i${tone === "wait" ? " spin" : ""}" viewBox="0 0 16 16" aria-hidden="true">${icon}</svg></span><div><h1>${heading}</h1><p>${lead}</p></div></div>
${middle}${next === undefined ? NOTHING : html`<p class="card-body dense">${next}</p>`}${hint === undefined ? NOTHING : html`<p class="card-body dense muted">${hint}</p>`}</div>`;

export const renderFacts = (facts: readonly Fact[]): Html =>
  html`<div class="card-body"><dl class="facts">${facts.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl></div>`;
