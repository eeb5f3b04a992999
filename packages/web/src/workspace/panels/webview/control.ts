import type { WebviewAction, WebviewFraming } from "@backplane/contract/panels";
import { call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { panelRoute } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";

type WithoutPanel<Action> = Action extends { panelId: string } ? Omit<Action, "panelId"> : never;
export type Wish = WithoutPanel<WebviewAction>;

export type Passed = { ok: true; src: string } | { ok: false; words: string };

export type Control = {
  /** Through the same route as programs, so that everybody who looks follows. Words: why it was not done. */
  ask(wish: Wish): Promise<string | undefined>;
  /** Where a frame enters the proxy, for a minute. */
  pass(url: string): Promise<Passed>;
  /** Whether a frame can show a site directly, as far as the server knows. */
  framing(url: string): Promise<WebviewFraming | undefined>;
};

export function createControl({ workspace, panelId }: PanelContext): Control {
  const path = panelRoute("webview", workspace);
  return {
    async ask(wish) {
      const id = panelId();
      if (id === undefined) return "This tab was closed.";
      const answer = await call({ method: "PATCH", path, body: { panelId: id, ...wish } });
      return answer.ok ? undefined : wordsOf(answer.fault);
    },
    async pass(url) {
      const answer = await call<{ src: string }>({ method: "POST", path: `${path}/pass`, body: { url } });
      return answer.ok ? { ok: true, src: answer.value.src } : { ok: false, words: wordsOf(answer.fault) };
    },
    async framing(url) {
      const answer = await call<WebviewFraming>({ method: "POST", path: `${path}/framing`, body: { url } });
      return answer.ok ? answer.value : undefined;
    },
  };
}

/** What is wrong with the field says more than that something is. */
const wordsOf = (fault: Parameters<typeof faultWords>[0]): string => fault.errors[0]?.message ?? faultWords(fault);
