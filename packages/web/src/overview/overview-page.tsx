import "./overview.css";
import type { Overview } from "@backplane/contract/platform";
import { Link } from "react-router";
import { clock } from "../parts/times.ts";
import { PageTitle } from "../shell/page-title.tsx";
import { AddressCard } from "./address-card.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { toModule, toStaleModule } from "./modules.ts";
import { OverviewSkeleton } from "./overview-skeleton.tsx";
import { Rack } from "./rack.tsx";
import { SilenceNote } from "./silence-note.tsx";
import { useDoneSteps } from "./use-done-steps.ts";
import { type Heard, useOverview } from "./use-overview.ts";
import { engines, headline } from "./words.ts";

function title({ overview, heardAt, silent }: Heard): string {
  if (overview && !silent) return headline(overview.processes);
  if (heardAt) return `No answer since ${clock(heardAt, new Date())}`;
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
  const { overview, silent } = heard;
  return (
    <>
      <div className={overview || silent ? "page-head" : "sr"}>
        <div>
          <PageTitle name="Overview" live>
            {title(heard)}
          </PageTitle>
          {overview && <Summary overview={overview} />}
        </div>
        {overview && (
          <Link className="btn" to="/workspaces">
            Open a workspace
          </Link>
        )}
      </div>
      <SilenceNote heard={heard} />
      {overview && (
        <>
          <Rack modules={overview.processes.map(silent ? toStaleModule : toModule)} />
          <div className="overview-columns">
            <FirstSteps doneAt={{ start: new Date(overview.startedAt), ...done }} />
            <AddressCard overview={overview} />
          </div>
        </>
      )}
      {!overview && !silent && <OverviewSkeleton />}
    </>
  );
}
