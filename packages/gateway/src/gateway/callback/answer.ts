import { Problem } from "@backplane/kit/problems";
import type { Delivery } from "../registrations.ts";
import type { CallbackPages } from "./pages.ts";
import type { Callback } from "./parameters.ts";

/** What became of a callback, for programs and for people. Each is made only if it is asked for. */
export type Answer = { readonly outcome: () => object | Problem; readonly page: () => string; readonly status: number };

export type Occasion = {
  readonly callback: Callback;
  readonly delivery: Delivery;
  /** It came as a form, so nothing of it is in the address. */
  readonly isForm: boolean;
  readonly atMs: number;
  readonly tookMs: number;
};

const RETRY_AFTER = { "retry-after": "1" };

export function answerCallback(pages: CallbackPages, occasion: Occasion): Answer {
  const { callback, delivery, isForm } = occasion;
  // The code stays in the user's browser, which asks again: in the address of a GET, in the page only of a form.
  const kept = () => (isForm ? { parameters: callback.answer.query } : {});
  switch (delivery.outcome) {
    case "delivered":
      return delivered(pages, occasion, delivery.provider);
    case "unconfirmed":
      return refused(new Problem("unconfirmed"), () => pages.unconfirmed(delivery));
    case "wrong-provider":
      return refused(new Problem("wrong-provider"), () => pages.wrongProvider(delivery));
    case "used":
      return refused(new Problem("state-used"), pages.used);
    case "expired":
      return refused(new Problem("state-expired"), pages.expired);
    case "unknown":
      return refused(new Problem("state-unknown", { headers: RETRY_AFTER }), () => pages.waiting(kept()));
    case "unavailable":
      return refused(new Problem("bus-unavailable", { headers: RETRY_AFTER }), () => pages.notReady(kept()));
  }
}

export const refused = (problem: Problem, page: () => string): Answer => ({
  status: problem.status,
  outcome: () => problem,
  page,
});

function delivered(pages: CallbackPages, { callback: { answer }, atMs, tookMs }: Occasion, provider: string): Answer {
  if ("code" in answer) {
    return {
      status: 200,
      outcome: () => ({ status: "delivered", provider }),
      page: () => pages.delivered({ provider, atMs, tookMs }),
    };
  }
  const { error, description } = answer;
  const page = error === "access_denied" ? pages.declined : pages.refused;
  return {
    status: 200,
    outcome: () => ({
      status: "declined",
      provider,
      error,
      ...(description === undefined ? {} : { error_description: description }),
    }),
    page: () => page({ provider, error, description }),
  };
}
