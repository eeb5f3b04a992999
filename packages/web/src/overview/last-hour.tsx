import { ACTIVITY_MINUTES, type Activity } from "@backplane/contract/platform";
import { useEffect, useState } from "react";
import { call } from "../calls/call.ts";
import { poll } from "../parts/poll.ts";
import { clock } from "../parts/times.ts";
import { PLOT, type PlotView, plotsOf } from "./plots.ts";

const POLL_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;

/** What happened here, for the owner; nothing until it is known. */
export function LastHour() {
  const [activity, setActivity] = useState<Activity>();

  useEffect(
    () =>
      poll({
        load: (signal) => call<Activity>({ method: "GET", path: "/api/activity", signal }),
        everyMs: POLL_EVERY_MS,
        page: document,
        onAnswer: (answer) => answer.ok && setActivity(answer.value),
        onSilence: () => {},
      }),
    [],
  );

  if (!activity) return null;
  const until = new Date(activity.until);
  const from = new Date(until.getTime() - ACTIVITY_MINUTES * MINUTE_MS);
  return (
    <section className="card hour" aria-labelledby="hour">
      <div className="card-head">
        <h2 id="hour">The last hour</h2>
        <span className="dense muted">
          {clock(from, until)} to {clock(until, until)}, one bar per minute
        </span>
      </div>
      <div className="hour-plots">
        {plotsOf(activity).map((plot) => (
          <HourPlot key={plot.kind} plot={plot} />
        ))}
      </div>
    </section>
  );
}

function HourPlot({ plot: { title, total, bars, failed } }: { plot: PlotView }) {
  const { width, height, barWidth } = PLOT;
  return (
    <div className="hour-plot">
      <div className="spread">
        <span className="dense">{title}</span>
        <span className="total">{total.toLocaleString("en")}</span>
      </div>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} />
        {bars.map((bar) => (
          <rect
            key={bar.x}
            className={bar.isBad ? "bad" : undefined}
            x={bar.x}
            y={bar.y}
            width={barWidth}
            height={bar.height}
          />
        ))}
      </svg>
      <p className={failed === undefined ? "small muted" : "small failed"}>{failed ?? "No failures"}</p>
    </div>
  );
}
