// Sends images one after the other, in the order in which they came.
import { canTryAgain, ViewerFault } from "./faults.js";

const MAX_WAITING = 20;

export function createQueue({ send, now, onChange, onSaved, onFault }) {
  let jobs = [];
  let isBusy = false;

  const change = (job, changes) => {
    Object.assign(job, changes);
    onChange();
  };
  const drop = (job) => {
    jobs = jobs.filter((other) => other !== job);
  };

  async function work() {
    if (isBusy) return;
    isBusy = true;
    for (let job = next(); job; job = next()) await sendOne(job);
    isBusy = false;
  }
  const next = () => jobs.find(({ stage }) => stage === "waiting");

  async function sendOne(job) {
    change(job, { stage: "sending", sentBytes: 0, startedMs: now() });
    try {
      const paste = await send(job.image, (sentBytes) => {
        change(job, { sentBytes, stage: sentBytes >= job.bytes ? "saving" : "sending" });
      });
      drop(job);
      onSaved(job, paste, now() - job.pastedMs);
    } catch (fault) {
      if (canTryAgain(fault)) change(job, { stage: "kept" });
      else drop(job);
      onFault(job, fault);
    }
    onChange();
  }

  return {
    jobs: () => jobs,
    waiting: () => jobs.filter(({ stage }) => stage === "waiting").length,
    kept: () => jobs.filter(({ stage }) => stage === "kept"),
    // Undefined when too many wait.
    add(image, preview) {
      if (jobs.length >= MAX_WAITING) return { fault: new ViewerFault("too-many-waiting") };
      const job = {
        image,
        preview,
        bytes: image.size,
        sentBytes: 0,
        stage: "waiting",
        pastedMs: now(),
        startedMs: now(),
      };
      jobs = [...jobs, job];
      void work();
      return { job };
    },
    tryAgain() {
      for (const job of jobs) if (job.stage === "kept") Object.assign(job, { stage: "waiting", pastedMs: now() });
      onChange();
      void work();
    },
    discard() {
      const kept = jobs.filter(({ stage }) => stage === "kept");
      jobs = jobs.filter(({ stage }) => stage !== "kept");
      onChange();
      return kept;
    },
  };
}
