import { GATEWAY_LIMITS, REGISTRATION_LIFE_MS, WAITING_PAGE_MS } from "@backplane/contract/gateway";
import type { Html } from "@backplane/kit/page";
import { ARC, CHECK, CLOCK, INFO, STOP } from "./icons.ts";

export type Card = {
  heading: string;
  /** What happened. */
  lead: string;
  icon: Html;
  tone?: "ok" | "warn" | "wait";
  /** The next step. */
  next?: string;
  /** Of use to some: it steps back. */
  hint?: string;
};

const WAIT = `${WAITING_PAGE_MS / 1_000} seconds`;
const LIFE = `${REGISTRATION_LIFE_MS / 60_000} minutes`;
const ACK_WAIT = `${GATEWAY_LIMITS.ackWaitMs / 1_000} seconds`;

const KEPT = "The code is kept in this browser only. The gateway stores none.";

export const CARDS = {
  delivered: {
    heading: "Code delivered",
    lead: "The application has it and continues by itself. You may close this window.",
    icon: CHECK,
    tone: "ok",
  },
  declined: {
    heading: "The provider declined",
    lead: "The application knows and got no code. You may close this window.",
    icon: STOP,
    tone: "warn",
    hint: "While the provider's app is in testing, its owner must add your account to the test users. Then start again from the application.",
  },
  refused: {
    heading: "The provider refused",
    lead: "The application knows and got no code. You may close this window.",
    icon: STOP,
    tone: "warn",
    hint: "Start again from the application in a minute. If the answer stays the same, show it to the application's owner.",
  },
  waiting: {
    heading: "Waiting for the application",
    lead: "It has lost its connection. When it is back, it gets the code. Keep this window open.",
    icon: ARC,
    tone: "wait",
    hint: KEPT,
  },
  waitingUnasked: {
    heading: "No application is waiting",
    lead: "It may have lost its connection. When it is back, ask again and it gets the code.",
    icon: INFO,
    hint: KEPT,
  },
  notReady: {
    heading: "Waiting for the gateway",
    lead: "It cannot look for the application right now. When it can, the application gets the code. Keep this window open.",
    icon: ARC,
    tone: "wait",
    hint: KEPT,
  },
  notReadyUnasked: {
    heading: "The gateway is not ready",
    lead: "It cannot look for the application right now. Ask again in a few seconds; then the application gets the code.",
    icon: INFO,
    hint: KEPT,
  },
  unknown: {
    heading: "No application is waiting",
    lead: `None came back within ${WAIT}. The code was not delivered and has been dropped.`,
    icon: INFO,
    next: "Check that the application is running and can reach the gateway, then start the sign-in from it again.",
  },
  unreachable: {
    heading: "The gateway does not answer",
    lead: `It was asked for ${WAIT}. The code has been dropped.`,
    icon: INFO,
    next: "Look at the application. If it still waits, start the sign-in from it again once the gateway is back.",
  },
  used: {
    heading: "Already delivered",
    lead: "This address works once, and the application has had its code. You may close this window.",
    icon: CHECK,
    hint: "If the application still waits, start the sign-in from it again; it will use a new address.",
  },
  expired: {
    heading: "The sign-in took too long",
    lead: `Applications wait ${LIFE}; this one stopped waiting. Nothing was delivered.`,
    icon: CLOCK,
    next: "Start the sign-in from the application again.",
  },
  malformed: {
    heading: "This address is incomplete",
    lead: "It lacks what the provider should have sent with it. Nothing was delivered.",
    icon: STOP,
    tone: "warn",
    next: "If the application already continues, close this window. If it still waits, start the sign-in from it again.",
  },
  wrongProvider: {
    heading: "Another provider's address",
    lead: "The answer came to an address that belongs to another provider. Nothing was delivered.",
    icon: STOP,
    tone: "warn",
    next: "Start the sign-in from the application again. If it ends here again, its owner must correct the redirect address.",
  },
  unconfirmed: {
    heading: "Sent, not confirmed",
    lead: `The answer went to the application, which has not confirmed it within ${ACK_WAIT}.`,
    icon: CLOCK,
    tone: "warn",
    next: "Look at the application. If it still waits, start the sign-in from it again.",
  },
} as const satisfies Record<string, Card>;
