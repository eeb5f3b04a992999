import { byId, partOf, setText } from "./elements.js";
import { outcomeInWords, uploadInWords } from "./words.js";

const toneOf = (job) => {
  if (job === undefined) return "done";
  return job.stage === "kept" ? "kept" : "busy";
};

export function showStrip({ job, paste, waiting, timing, isRenamed, canUndo }) {
  const strip = byId("strip");
  const outcome = byId("outcome");
  const now = new Date();
  outcome.dataset.tone = toneOf(job);
  const text = job
    ? uploadInWords(job, { nowMs: now.getTime(), waiting })
    : outcomeInWords(paste, { timing, now, isRenamed });
  setText(partOf(outcome, "text"), text);
  strip.querySelector('[data-do="undo-paste"]').hidden = job !== undefined || !canUndo;
  const meter = partOf(strip, "meter");
  meter.hidden = job?.stage !== "sending";
  if (!meter.hidden) meter.firstElementChild.style.width = `${(100 * job.sentBytes) / Math.max(1, job.bytes)}%`;
}
