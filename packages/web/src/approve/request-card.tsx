import type { IntentCaller, IntentRequest } from "@backplane/contract/intents";
import type { Fault } from "../calls/call.ts";
import { Icon } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";
import { clockWithSeconds, ends, lengthOf, longDate } from "../parts/times.ts";
import { CardTitle } from "../shell/cards.tsx";
import { warningOf } from "./callers.ts";
import { DecisionPart } from "./decision-part.tsx";
import type { Decision } from "./view.ts";

type Props = {
  request: IntentRequest;
  stale: boolean;
  userName: string;
  behindMs: number;
  name: string;
  decide: (decision: Decision) => Promise<Fault | undefined>;
};

/** Everything a person needs to decide, then both buttons. */
export function RequestCard({ request, stale, userName, behindMs, name, decide }: Props) {
  const warning = warningOf(request.callers);
  return (
    <section className="card">
      <div className="sect head">
        <CardTitle name={name}>A program asks to sign in as {userName}</CardTitle>
        <p>It will act for you until you end its session.</p>
      </div>
      {/* always there, so that screen readers announce a warning that appears later */}
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

function Caller({ caller, showsSince }: { caller: IntentCaller; showsSince: boolean }) {
  const { address, program, since, is_new_address: isNew } = caller;
  return (
    <li>
      {isNew ? <strong className="new-address">{address}</strong> : address} · {program ?? "unknown program"}
      {isNew && " · new address"}
      {showsSince && ` · since ${clockWithSeconds(new Date(since))}`}
    </li>
  );
}

function Callers({ callers }: { callers: readonly IntentCaller[] }) {
  if (callers.length === 0) return "Nothing is waiting right now; the program asks again by itself";
  return (
    <ul>
      {callers.map((caller) => (
        <Caller key={`${caller.address} ${caller.since}`} caller={caller} showsSince={callers.length > 1} />
      ))}
    </ul>
  );
}

/** Which program asks, from where, for how long, and what it may do. */
function RequestFacts({ request }: { request: IntentRequest }) {
  const { app_name: appName, callers, requested_max_age: maxAgeS, session_ends_at: endsAt } = request;
  return (
    <div className="sect tight">
      <dl className="facts">
        <dt>Program</dt>
        <dd className="program">
          <strong>{appName === null ? "No name given" : <bdi>{appName}</bdi>}</strong>
          {appName !== null && (
            <span className="badge">
              <Icon name="info" />
              Name not verified
            </span>
          )}
        </dd>
        <dt>Waiting at</dt>
        <dd>
          <Callers callers={callers} />
        </dd>
        <dt>Session</dt>
        <dd>
          {lengthOf(maxAgeS)}, until {ends(new Date(endsAt), new Date(), longDate)}
        </dd>
        <dt>Can</dt>
        <dd>Use packages, workspaces and panels as you</dd>
        <dt>Cannot</dt>
        <dd>Approve sign-ins, create API keys, change the password</dd>
      </dl>
    </div>
  );
}

/** The code in large letters; screen readers spell it out. */
function CodeToCompare({ code }: { code: string }) {
  const halves = code.split("-");
  return (
    <div className="code-box">
      <p className="field-label">Does the program show this code?</p>
      <div className="code" role="img" aria-label={`Confirmation code ${halves.map(spelled).join(", ")}`}>
        {halves.map((half, place) => (
          <span className="half" key={half + String(place)}>
            {[...half].map((letter, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a letter is its place
              <b key={at}>{letter}</b>
            ))}
          </span>
        ))}
      </div>
      <p className="dense muted">If it shows another code, or none, deny.</p>
    </div>
  );
}

const spelled = (half: string): string => [...half].join(" ");
