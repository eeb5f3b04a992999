import "./overview.css";
import type { User } from "@backplane/contract/accounts";
import type { Overview } from "@backplane/contract/platform";
import { Link } from "react-router";
import { CopyIconButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";
import { clock } from "../parts/times.ts";
import { useSession } from "../session/session.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { signInAddress } from "../sign-in/return-to.ts";
import { type Address, addresses, mixedAddresses } from "./addresses.ts";
import { FirstSteps, useDoneSteps } from "./first-steps.tsx";
import { LastHour } from "./last-hour.tsx";
import { LatestColumns } from "./latest.tsx";
import { engines, headline, inHome, toModule, toStaleModule } from "./processes.ts";
import { Rack } from "./rack.tsx";
import { Unbroken } from "./unbroken.tsx";
import { type OverviewState, POLL_EVERY_MS, useOverview } from "./use-overview.ts";

/** The owner runs the processes; everybody else is a guest. */
function title({ overview, answeredAt, silent, isStranger, problem }: OverviewState, guest: User | undefined): string {
  if (overview && !silent) return guest ? `Welcome, ${guest.display_name}` : headline(overview.processes);
  if (!silent && (isStranger || problem)) return "Backplane is running";
  if (answeredAt) return `No answer since ${clock(answeredAt, new Date())}`;
  return silent ? "No answer yet" : "Overview";
}

function Summary({ overview }: { overview: Overview }) {
  const { startedAt, version, home } = overview;
  return (
    <p>
      Started {clock(new Date(startedAt), new Date())} · version {version} · {engines(overview)}
      {home !== undefined && (
        <>
          {" "}
          · state in <code>{home}</code>
        </>
      )}
    </p>
  );
}

export function OverviewPage() {
  const heard = useOverview();
  const done = useDoneSteps();
  const { who } = useSession();
  // The page differs for the owner and for guests: it waits until that is known, too.
  const state: OverviewState = who.is === "asking" && !heard.silent ? { silent: false } : heard;
  const guest = who.is === "in" && !who.user.is_owner ? who.user : undefined;
  const owner = who.is === "in" && who.user.is_owner ? who.user : undefined;
  const isOwner = owner !== undefined;
  const { overview, silent } = state;
  const isTold = overview || state.isStranger || state.problem !== undefined;
  return (
    <>
      <div className={isTold || silent ? "page-head" : "sr"}>
        <div>
          <PageTitle name="Overview" live>
            {title(state, guest)}
          </PageTitle>
          {overview && (guest ? <p>{headline(overview.processes)}</p> : <Summary overview={overview} />)}
        </div>
        {overview && (
          <Link className="btn" to="/workspaces">
            Open a workspace
          </Link>
        )}
      </div>
      <ProblemNote state={state} />
      {overview && (
        <>
          {isOwner && <MixedAddresses processes={overview.processes} />}
          {!guest && <Rack modules={overview.processes.map(silent ? toStaleModule : toModule)} />}
          {isOwner && <LastHour />}
          {owner && <LatestColumns user={owner} />}
          <div className="overview-columns">
            <FirstSteps
              who={guest ? "invited" : "owner"}
              kicadUrl={overview.kicadUrl}
              doneAt={{ start: new Date(overview.startedAt), ...done }}
            />
            <AddressCard overview={overview} isOwner={isOwner} />
          </div>
        </>
      )}
      {state.isStranger && <SignInFirst />}
      {!isTold && !silent && <OverviewSkeleton />}
    </>
  );
}

function SignInFirst() {
  return (
    <section className="card empty" aria-label="Sign in">
      <Icon name="person" />
      <h2>Sign in to see its processes and addresses</h2>
      <p>
        The first start saved the owner's name and password in <code>owner.json</code>, in the folder of its data. If it
        ran in a terminal, it showed them there, too.
      </p>
      <Link className="btn primary" to={signInAddress("/")}>
        Sign in
      </Link>
    </section>
  );
}

/** Says what to do when the platform does not answer. The region is always there, so that screen readers announce its text. */
function ProblemNote({ state: { silent, overview, problem } }: { state: OverviewState }) {
  return (
    <div className="silence" role="status">
      {silent && (
        <Note tone="danger">
          <strong>The platform does not answer.</strong> Check the terminal that runs Backplane; if it has stopped,
          start it again. {overview ? "Below is the last known state. " : ""}This page checks every{" "}
          {POLL_EVERY_MS / 1_000} s and recovers by itself.
        </Note>
      )}
      {!silent && problem !== undefined && (
        <Note tone="danger">
          <strong>{problem}.</strong> {overview ? "Below is the last known state. " : ""}This page checks every{" "}
          {POLL_EVERY_MS / 1_000} s and recovers by itself.
        </Note>
      )}
      {!silent && problem === undefined && overview?.processes.some(({ state }) => state !== "running") && (
        <Note>
          <strong>A process that stops is restarted automatically, and so is a gateway that hangs.</strong> If one stays
          down, the terminal that runs Backplane says why; more is in{" "}
          <code>{overview.home === undefined ? "logs/" : inHome(overview.home, "logs/")}</code>.
        </Note>
      )}
    </div>
  );
}

function MixedAddresses({ processes }: Pick<Overview, "processes">) {
  const words = mixedAddresses(processes, location.href);
  if (words === undefined) return null;
  return (
    <div className="silence">
      <Note tone="warn">{words}</Note>
    </div>
  );
}

function AddressRow({ address: { label, copyLabel, url, opens } }: { address: Address }) {
  return (
    <li className="address">
      <div>
        <p className="label">{label}</p>
        <Unbroken>{opens ? <a href={url}>{url}</a> : url}</Unbroken>
      </div>
      <CopyIconButton text={url} label={copyLabel} />
    </li>
  );
}

function AddressCard({ overview, isOwner }: { overview: Overview; isOwner: boolean }) {
  return (
    <section className="card" aria-labelledby="addresses">
      <div className="card-head">
        <h2 id="addresses">Addresses</h2>
      </div>
      <ul>
        {addresses(overview).map((address) => (
          <AddressRow key={address.label} address={address} />
        ))}
      </ul>
      {isOwner && overview.home !== undefined && overview.ownerFile && (
        <p className="card-body owner dense muted">
          The owner's name and password are in <code>{inHome(overview.home, "owner.json")}</code>, readable only by you.
        </p>
      )}
    </section>
  );
}

const bars = (count: number) => Array.from({ length: count }, (_, place) => place);

function Lines({ count }: { count: number }) {
  return bars(count).map((place) => (
    <div className="skeleton-row" key={place}>
      <div className="skeleton" />
    </div>
  ));
}

/** The shape of the page, shown when the first answer takes longer than 300 ms. */
function OverviewSkeleton() {
  return (
    <div className="loading">
      <p className="sr" role="status">
        Loading
      </p>
      <div aria-hidden="true">
        <div className="skeleton-head">
          <div className="skeleton" />
          <div className="skeleton" />
        </div>
        <div className="rack">
          {bars(4).map((place) => (
            <div className="slot" key={place}>
              <div className="module skeleton-module">
                <div className="skeleton" />
                <div className="skeleton" />
              </div>
            </div>
          ))}
        </div>
        <div className="overview-columns">
          <div className="card">
            <Lines count={6} />
          </div>
          <div className="card">
            <Lines count={5} />
          </div>
        </div>
      </div>
    </div>
  );
}
