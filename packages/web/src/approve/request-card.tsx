import type { IntentRequest } from "@backplane/contract/intents";
import type { Fault } from "../calls/call.ts";
import { Note } from "../parts/note.tsx";
import { CardTitle } from "../shell/card-title.tsx";
import { warningOf } from "./callers.ts";
import { CodeToCompare } from "./code-to-compare.tsx";
import { DecisionPart } from "./decision-part.tsx";
import { RequestFacts } from "./request-facts.tsx";
import type { Decision } from "./view.ts";

type Props = {
  request: IntentRequest;
  stale: boolean;
  userName: string;
  behindMs: number;
  name: string;
  decide: (decision: Decision) => Promise<Fault | undefined>;
};

/** All that a person needs to judge, then both answers. */
export function RequestCard({ request, stale, userName, behindMs, name, decide }: Props) {
  const warning = warningOf(request.callers);
  return (
    <section className="card">
      <div className="sect head">
        <CardTitle name={name}>A program asks to sign in as {userName}</CardTitle>
        <p>It will act for you until you end its session.</p>
      </div>
      {/* always there, so that a warning that comes later is read out */}
      <div className={warning ? "sect tight" : undefined} role="alert">
        {warning && (
          <Note tone="warn">
            <strong>{warning.strong}</strong> {warning.rest}
          </Note>
        )}
      </div>
      <CodeToCompare code={request.confirmation_code} />
      <RequestFacts request={request} />
      <DecisionPart request={request} stale={stale} userName={userName} behindMs={behindMs} decide={decide} />
    </section>
  );
}
