// Uploads images one after the other, in the order in which they were pasted.
import { canTryAgain, ViewerFault } from "./faults.js";
import { withPaste } from "./gallery.js";
import { checkImage } from "./paste-and-drop.js";
import { pixelsAt } from "./pictures.js";
import { clearFault, fail, receive, render, say, show } from "./screen.js";

const MAX_WAITING = 20;
const MAX_TIMINGS = 50;
// Then the strip shows how much has been sent.
const RENDER_AGAIN_AFTER_MS = 350;

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
    // Returns `{ job }`, or `{ fault }` when too many are waiting.
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

// The queue, and what the page shows about it.
export const createUploads = (page) =>
  createQueue({
    now: () => Date.now(),
    async send(image, onSent) {
      await image
        .slice(0, 1)
        .arrayBuffer()
        .catch(() => {
          throw new ViewerFault("file-unreadable");
        });
      return page.viewer.upload(image, onSent);
    },
    onChange: () => render(page),
    onSaved: (job, paste, ms) => showSaved(page, job, paste, ms),
    onFault(job, problem) {
      const isKept = job.stage === "kept";
      if (!isKept) URL.revokeObjectURL(job.preview);
      if (!isKept && page.shown?.job === job) page.shown = undefined;
      fail(page, problem, "save");
      if (isKept) void measure(page, job);
    },
  });

function showSaved(page, job, paste, ms) {
  page.listed = withPaste(page.listed, paste);
  // An event may have arrived before the answer.
  const latest = page.listed.pastes.find(({ id }) => id === paste.id) ?? paste;
  const isNamed = latest.status === "named";
  page.timings.set(paste.id, { pastedMs: job.pastedMs, savedMs: ms, namedMs: isNamed ? ms : undefined });
  if (page.timings.size > MAX_TIMINGS) page.timings.delete(page.timings.keys().next().value);
  if (page.shown?.job !== job) {
    URL.revokeObjectURL(job.preview);
    if (page.uploads.jobs().every(({ stage }) => stage === "kept")) say("Saved");
    return;
  }
  page.previews.set(paste.id, job.preview);
  say(isNamed ? `Saved and named ${latest.name}` : "Saved, naming");
  show(page, { paste: latest });
  if (page.viewer.named && !isNamed) void waitForName(page, latest);
}

// Only for images that wait for another try: the message names them by their size.
async function measure(page, job) {
  job.pixels ??= await pixelsAt(job.preview);
  render(page);
}

async function waitForName(page, paste) {
  const named = await page.viewer.named(paste).catch(() => undefined);
  if (named) receive(page, "paste", named);
}

// `images` and `fault`: as `findImages` returns them.
export async function uploadImages(page, { images, fault }) {
  clearFault(page);
  // The new screenshot is shown, and what was found before is no longer of interest.
  if (images.length > 0) page.searchField.clear();
  for (const image of images) {
    const tooLarge = checkImage(image, page.settings.maxUploadBytes);
    if (tooLarge) {
      fail(page, tooLarge, "save");
      continue;
    }
    const preview = await page.viewer.preview(image);
    const { job, fault: queueFull } = page.uploads.add(image, preview);
    if (queueFull) {
      URL.revokeObjectURL(preview);
      fail(page, queueFull, "save");
      continue;
    }
    say("Sending");
    show(page, { job });
    setTimeout(() => render(page), RENDER_AGAIN_AFTER_MS);
  }
  if (fault) fail(page, fault, "save");
}
