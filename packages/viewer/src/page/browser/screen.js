// What the page shows. `page` is made in page.js; these functions change it and draw it.
import { byId, isTouch, partOf, setText, takeFocus } from "./elements.js";
import { describeFault, describeKept } from "./faults.js";
import { laterOf, withChangedHits, withoutPaste, withPaste } from "./gallery.js";
import { keptInWords, outcomeInWords, uploadInWords } from "./texts.js";

// Read aloud by screen readers.
export const say = (text) => setText(byId("said"), text);

export function render(page) {
  const { viewer, shown, listed, search } = page;
  const focused = document.activeElement;
  const { job, paste } = shown ?? {};
  byId("ready").hidden = shown !== undefined || search !== undefined;
  byId("result").hidden = shown === undefined;
  showFault(page.fault ?? describeKept(page.keptFault, keptInWords(page.uploads.kept(), job)));
  if (shown) {
    showStrip(page);
    byId("naming-shape").hidden = !viewer.can.rename || job === undefined || job.stage === "kept";
    page.nameCard.show(viewer.can.rename ? paste : undefined);
    page.shot.show({ job, paste, preview: page.previews.get(paste?.id) });
  } else page.shot.close();
  if (viewer.can.list) {
    page.gallery.show({ listed, search, shownId: paste?.id });
    page.pictures.keep(new Set(pastesOn(page).map(({ id }) => id)), paste?.id);
  }
  // The focused element may just have been hidden.
  if (focused && focused !== document.body && !focused.checkVisibility()) takeFocus();
}

// All screenshots that the grid shows, or shows again after the search.
export const pastesOn = ({ listed, search }) => [
  ...listed.pastes,
  ...(search ? [...search.hits.map(({ paste }) => paste), ...search.near] : []),
];

export function show(page, next) {
  const shownPaste = page.shown?.paste;
  if (shownPaste && shownPaste.id !== next?.paste?.id) dropPreview(page, shownPaste.id);
  if (next?.paste?.id !== page.renamedId) page.renamedId = undefined;
  page.shown = next;
  render(page);
}

function dropPreview({ previews }, id) {
  const address = previews.get(id);
  if (address) URL.revokeObjectURL(address);
  previews.delete(id);
}

// `doing`: as for `describeFault`.
export function fail(page, problem, doing) {
  const described = describeFault(problem, { doing, keys: page.keys, isTouch: isTouch(), limits: page.settings });
  // The message is read aloud; what was said before is no longer true.
  say("");
  if (described.action === "retry") page.keptFault = described;
  else page.fault = described;
  render(page);
}

export function clearFault(page) {
  if (page.fault === undefined) return;
  page.fault = undefined;
  render(page);
}

// Events from the viewer: "list" with the newest screenshots, "paste" with one, "removed" with an id.
export function receive(page, name, value) {
  const shownId = page.shown?.paste?.id;
  if (name === "list") {
    const known = new Map(page.listed.pastes.map((paste) => [paste.id, paste]));
    const pastes = value.pastes.map((paste) => laterOf(known.get(paste.id), paste));
    page.listed = { ...page.listed, pastes, more: value.more };
    const shownAgain = pastes.find(({ id }) => id === shownId);
    if (shownAgain) update(page, shownAgain);
  } else if (name === "paste") {
    page.listed = withPaste(page.listed, value);
    page.search = withChangedHits(page.search, (known) => (known.id === value.id ? laterOf(known, value) : known));
    if (shownId === value.id) update(page, laterOf(page.shown.paste, value));
  } else {
    page.listed = withoutPaste(page.listed, value);
    page.search = withChangedHits(page.search, (known) => (known.id === value ? undefined : known));
    if (shownId === value) show(page, undefined);
  }
  render(page);
}

function update(page, paste) {
  const isJustNamed = page.shown.paste.status === "naming" && paste.status === "named";
  page.shown = { paste };
  if (!isJustNamed) return;
  const timing = page.timings.get(paste.id);
  if (timing) timing.namedMs = Date.now() - timing.pastedMs;
  say(paste.namedBy ? `Named ${paste.name}` : "No text was found to name it");
}

// `fault`: from describeFault, or undefined.
function showFault(fault) {
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
  // Images that wait for another try are dropped only with Discard.
  offer("dismiss", fault !== undefined && fault.action !== "retry");
}

function toneOf(job) {
  if (job === undefined) return "done";
  return job.stage === "kept" ? "kept" : "busy";
}

// The line above the name: how far an upload is, or when a screenshot was saved.
function showStrip({ shown: { job, paste }, uploads, timings, renamedId, viewer }) {
  const strip = byId("strip");
  const outcome = byId("outcome");
  const now = new Date();
  outcome.dataset.tone = toneOf(job);
  const text = job
    ? uploadInWords(job, { nowMs: now.getTime(), waiting: uploads.waiting() })
    : outcomeInWords(paste, { timing: timings.get(paste.id), now, isRenamed: paste.id === renamedId });
  setText(partOf(outcome, "text"), text);
  strip.querySelector('[data-do="undo-paste"]').hidden = job !== undefined || !viewer.can.undo;
  const meter = partOf(strip, "meter");
  meter.hidden = job?.stage !== "sending";
  if (!meter.hidden) meter.firstElementChild.style.width = `${(100 * job.sentBytes) / Math.max(1, job.bytes)}%`;
}
