import type { User } from "@backplane/contract/accounts";
import type { WorkspaceList } from "@backplane/contract/panels";
import type { Latest, LatestEvent } from "@backplane/contract/platform";
import type { System } from "@backplane/contract/system";
import { Link } from "react-router";
import { usePolled } from "../calls/use-polled.ts";
import { clock } from "../parts/times.ts";
import { initials } from "../session/who.ts";
import { eventWords, type Need, needsOf } from "./latest-words.ts";

const POLL_EVERY_MS = 10_000;
/** The checks of a whole installation cost more, and change slowly. */
const CHECK_EVERY_MS = 60_000;

/** What happened here, and what waits for the owner; nothing until it is known. */
export function LatestColumns({ user }: { user: User }) {
  const { value: latest } = usePolled<Latest>("/api/latest", POLL_EVERY_MS);
  const { value: system } = usePolled<System>("/api/system", CHECK_EVERY_MS);
  const { value: list } = usePolled<WorkspaceList>("/api/workspaces?limit=1", CHECK_EVERY_MS);
  if (!latest || !system) return null;
  return (
    <div className="overview-columns latest-columns">
      <LatestCard events={latest.events} reader={user.name} />
      <NeedsCard needs={needsOf(system.findings, list?.invitations ?? [])} />
    </div>
  );
}

function LatestCard({ events, reader }: { events: readonly LatestEvent[]; reader: string }) {
  return (
    <section className="card" aria-labelledby="latest">
      <div className="card-head">
        <h2 id="latest">Latest</h2>
      </div>
      {events.length === 0 && (
        <p className="card-body dense muted">Nothing yet. Publish a package, or open a workspace.</p>
      )}
      <ul>
        {events.map((event) => (
          <EventRow key={`${event.at} ${event.kind} ${event.what}`} event={event} reader={reader} />
        ))}
      </ul>
    </section>
  );
}

function EventRow({ event, reader }: { event: LatestEvent; reader: string }) {
  const { by, verb, what, end } = eventWords(event, reader);
  const at = new Date(event.at);
  return (
    <li className="latest-event">
      <span className="avatar" aria-hidden="true">
        {initials(event.by)}
      </span>
      <span className="anywhere">
        <b>{by}</b> {verb} {what !== "" && <b>{what}</b>} {end}
      </span>
      <time className="muted" dateTime={event.at}>
        {clock(at, new Date())}
      </time>
    </li>
  );
}

function NeedsCard({ needs }: { needs: readonly Need[] }) {
  return (
    <section className="card" aria-labelledby="needs">
      <div className="card-head">
        <h2 id="needs">Needs you</h2>
        {needs.length > 0 && <span className="dense muted">{needs.length}</span>}
      </div>
      {needs.length === 0 && <p className="card-body dense muted">Nothing needs you now.</p>}
      <ul>
        {needs.map(({ tone, title, detail, page, word }) => (
          <li className="need" key={title}>
            <span className={`state ${tone}`} />
            <div className="anywhere">
              <b>{title}</b>
              <p className="muted">{detail}</p>
            </div>
            <Link to={page}>{word}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
