import type { IntentCaller, IntentRequest } from "@backplane/contract/intents";
import { Icon } from "../parts/icon.tsx";
import { clockWithSeconds, ends, lengthOf, longDate } from "../parts/times.ts";

function Caller({ caller, told }: { caller: IntentCaller; told: "alone" | "among others" }) {
  const { address, program, since, is_new_address: isNew } = caller;
  return (
    <li>
      {isNew ? <strong className="new-address">{address}</strong> : address} · {program ?? "unknown program"}
      {isNew && " · new address"}
      {told === "among others" && ` · since ${clockWithSeconds(new Date(since))}`}
    </li>
  );
}

function Callers({ callers }: { callers: readonly IntentCaller[] }) {
  if (callers.length === 0) return "Nobody waits now; the program asks again by itself";
  return (
    <ul>
      {callers.map((caller) => (
        <Caller
          key={`${caller.address} ${caller.since}`}
          caller={caller}
          told={callers.length === 1 ? "alone" : "among others"}
        />
      ))}
    </ul>
  );
}

/** What asks, from where, for how long, and what it may do. */
export function RequestFacts({ request }: { request: IntentRequest }) {
  const { app_name: appName, callers, requested_max_age: maxAgeS, session_ends_at: endsAt } = request;
  return (
    <div className="sect tight">
      <dl className="facts">
        <dt>Program</dt>
        <dd className="program">
          <strong>{appName === null ? "Gives no name" : <bdi>{appName}</bdi>}</strong>
          {appName !== null && (
            <span className="badge">
              <Icon name="info" />
              Name not verified
            </span>
          )}
        </dd>
        <dt>Waits at</dt>
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
        <dd>Approve sign-ins, make API keys, change the password</dd>
      </dl>
    </div>
  );
}
