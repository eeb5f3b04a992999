import "./system.css";
import type { Finding, System } from "@backplane/contract/system";
import { LoadFailed } from "../calls/load-failed.tsx";
import { usePolled } from "../calls/use-polled.ts";
import { Icon } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { SignInCard } from "../sign-in/sign-in-card.tsx";
import { BackupsCard } from "./backups-card.tsx";
import { ChecksCard } from "./checks-card.tsx";
import { BusCard, DatabaseCard, StorageCard } from "./engine-cards.tsx";
import { InstancesCard } from "./instances-card.tsx";
import { ProcessesCard } from "./processes-card.tsx";
import { QuotasCard } from "./quotas-card.tsx";
import { summary } from "./words.ts";

const NAME = "System";
const POLL_EVERY_MS = 5_000;

const HEAD = (
  <div className="page-head">
    <PageTitle name={NAME} />
  </div>
);

const SIGN_IN = (
  <SignInCard
    heading={<PageTitle name={NAME}>Sign in to see the system</PageTitle>}
    lead="Only the owner of this Backplane sees this page."
    returnTo="/system"
  />
);

export function SystemPage() {
  return (
    <SignedInPage name={NAME} head={HEAD} invitation={SIGN_IN}>
      {(user) => (user.is_owner ? <SystemOfOwner /> : <ForOwnersOnly />)}
    </SignedInPage>
  );
}

function ForOwnersOnly() {
  return (
    <>
      {HEAD}
      <Note>
        <strong>Only the owner of this Backplane sees this page.</strong> Ask them when something does not work.
      </Note>
    </>
  );
}

function SystemOfOwner() {
  const { value: system, fault, reload } = usePolled<System>("/api/system", POLL_EVERY_MS);
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name={NAME} />
          {system && <p>{summary(system)}</p>}
        </div>
        {system && (
          <a className="btn" href="/api/system" download="backplane-report.json">
            <Icon name="download" />
            <span>Save a report for support</span>
          </a>
        )}
      </div>
      <div className="system">
        {fault && (
          <LoadFailed
            title={system ? "This is the last known state." : "The system could not be loaded."}
            fault={fault}
            onRetry={reload}
          />
        )}
        {system && (
          <>
            <Warnings system={system} />
            <InstancesCard system={system} />
            <div className="system-three">
              <DatabaseCard system={system} />
              <BusCard system={system} />
              <StorageCard system={system} />
            </div>
            <BackupsCard
              isWarned={system.findings.some(({ check, state }) => check === "backups" && state === "warning")}
            />
            <ProcessesCard system={system} />
            <QuotasCard system={system} />
            <ChecksCard findings={system.findings} />
          </>
        )}
        {!system && !fault && <Skeleton />}
      </div>
    </>
  );
}

/** What costs something, each with one next step. The region is always there, so that screen readers announce its text. */
function Warnings({ system: { findings, silent } }: { system: System }) {
  return (
    <div className="system-warnings" role="status">
      {findings
        .filter(({ state }) => state === "warning" || state === "fault")
        .map((finding) => (
          <Warning key={`${finding.check} ${finding.says}`} finding={finding} />
        ))}
      {silent.length > 0 && (
        <Note tone="warn">
          <strong>Did not answer in time: {silent.join(", ")}.</strong> What it would say is missing below. This page
          asks again every {POLL_EVERY_MS / 1_000} s.
        </Note>
      )}
    </div>
  );
}

function Warning({ finding: { state, says, cost, fix } }: { finding: Finding }) {
  const more = [cost, fix].filter(Boolean).join(" ");
  return (
    <Note tone={state === "fault" ? "danger" : "warn"}>
      {more === "" ? (
        says
      ) : (
        <>
          <strong>{says.replace(/\.?$/, ".")}</strong> {more}
        </>
      )}
    </Note>
  );
}

/** The shape of the page, shown when the first answer takes longer than 300 ms. */
function Skeleton() {
  return (
    <div className="loading">
      <p className="sr" role="status">
        Loading
      </p>
      <div className="card" aria-hidden="true">
        {[0, 1, 2, 3].map((place) => (
          <div className="skeleton-row" key={place}>
            <div className="skeleton" />
          </div>
        ))}
      </div>
    </div>
  );
}
