// `fault`: as describeFault says it, or undefined.
import { byId, partOf, setText } from "./elements.js";
import { outcomeInWords, uploadInWords } from "./texts.js";

export function showFault(fault) {
  const region = byId("fault");
  const note = partOf(region, "note");
  note.hidden = fault === undefined;
  partOf(byId("ready"), "twice").hidden = fault !== undefined;
  partOf(byId("ready"), "limits").hidden = fault === undefined;
  setText(partOf(region, "what"), fault?.what ?? "");
  setText(partOf(region, "next"), fault?.next ?? "");
  const offer = (name, isOffered) => {
    region.querySelector(`[data-do="${name}"]`).hidden = !isOffered;
  };
  offer("retry", fault?.action === "retry");
  offer("discard", fault?.action === "retry");
  offer("reload", fault?.action === "reload");
  // What is kept goes only by a word that says so.
  offer("dismiss", fault !== undefined && fault.action !== "retry");
}

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
