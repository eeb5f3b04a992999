// Puts it together: what came in, what is shown of it, and what the buttons do.
import { copyImageFrom, copyPathFrom } from "./clipboard.js";
import { byId, followFocus, setText, takeFocus } from "./elements.js";
import { describeFault, tellOfKept, ViewerFault } from "./faults.js";
import { pause, stayLive } from "./live-updates.js";
import { createNamingCard } from "./name-card.js";
import { checkImage, listenForImages } from "./paste-and-drop.js";
import { createPictures, createShots, pixelsAt } from "./pictures.js";
import { laterOf, showRecent, withoutPaste, withPaste } from "./recent.js";
import { showFault, showStrip } from "./screen.js";
import { fileNameOf, keptInWords } from "./texts.js";
import { createNotice } from "./undo-paste.js";
import { createQueue } from "./uploads.js";
import { createHttpHost } from "./viewer-over-http.js";
import { createAppHost } from "./viewer-over-mcp.js";

const settings = JSON.parse(document.body.dataset.settings);
document.body.removeAttribute("data-settings");
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const MAX_TIMINGS = 50;
const keys = isMac ? "⌘ V" : "Ctrl V";

// `shown`: { job } while it is sent, { paste } afterwards, undefined when ready.
let shown;
let recent = [];
// `keptFault`: why images wait here to be sent again; stands behind any other.
let fault;
let keptFault;
let renamedId;
let live;
// By id: { pastedMs, savedMs, namedMs }
const timings = new Map();

const host = settings.isApp
  ? createAppHost({
      title: settings.title,
      peer: window.parent,
      listen: (listener) => window.addEventListener("message", listener),
      wait: pause,
      onTheme: (theme) => document.documentElement.setAttribute("data-theme", theme),
      onTitle: (title) => setText(byId("title"), title),
    })
  : createHttpHost({ ...settings, onAnswer: () => live?.hurry() });
const pictures = createPictures({ fetchPicture: host.picture });
const shots = createShots({ pictures, can: host.can });
const say = (text) => setText(byId("said"), text);

/* ---------- what is shown ---------- */

function render() {
  const focused = document.activeElement;
  const { job, paste } = shown ?? {};
  byId("ready").hidden = shown !== undefined;
  byId("result").hidden = shown === undefined;
  showFault(fault ?? tellOfKept(keptFault, keptInWords(queue.kept(), job)));
  if (shown) {
    showStrip({
      job,
      paste,
      waiting: queue.waiting(),
      timing: paste && timings.get(paste.id),
      isRenamed: paste !== undefined && paste.id === renamedId,
      canUndo: host.can.undo,
    });
    byId("naming-shape").hidden = !host.can.rename || job === undefined || job.stage === "kept";
    naming.show(host.can.rename ? paste : undefined);
    shots.show({ job, paste, preview: previews.get(paste?.id) });
  }
  if (host.can.list) {
    showRecent({ pastes: recent, shownId: paste?.id, pictures, onLeave: () => takeFocus() });
    pictures.keep(new Set(recent.map(({ id }) => id)), paste?.id);
  }
  // The focus is never left on what has gone.
  if (focused && focused !== document.body && !focused.checkVisibility()) takeFocus();
}

function show(next) {
  if (shown?.paste && shown.paste.id !== next?.paste?.id) dropPreview(shown.paste.id);
  if (next?.paste?.id !== renamedId) renamedId = undefined;
  shown = next;
  render();
}

function fail(problem, doing) {
  const described = describeFault(problem, { doing, keys, limits: settings });
  // The note is read aloud; what was said before no longer holds.
  say("");
  if (described.action === "retry") keptFault = described;
  else fault = described;
  render();
}

function clearFault() {
  if (fault === undefined) return;
  fault = undefined;
  render();
}

/* ---------- what comes in ---------- */

const previews = new Map();
function dropPreview(id) {
  const address = previews.get(id);
  if (address) URL.revokeObjectURL(address);
  previews.delete(id);
}

const queue = createQueue({
  now: () => Date.now(),
  async send(image, onSent) {
    await image
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw new ViewerFault("file-unreadable");
      });
    return host.upload(image, onSent);
  },
  onChange: () => render(),
  onSaved(job, paste, ms) {
    recent = withPaste(recent, paste);
    const now = recent.find(({ id }) => id === paste.id) ?? paste;
    // An event may have overtaken the answer.
    timings.set(paste.id, { pastedMs: job.pastedMs, savedMs: ms, namedMs: now.status === "named" ? ms : undefined });
    if (timings.size > MAX_TIMINGS) timings.delete(timings.keys().next().value);
    if (shown?.job !== job) {
      URL.revokeObjectURL(job.preview);
      if (queue.jobs().every(({ stage }) => stage === "kept")) say("Saved");
      return;
    }
    previews.set(paste.id, job.preview);
    say(now.status === "named" ? `Saved and named ${now.name}` : "Saved, naming");
    show({ paste: now });
    if (host.named && now.status === "naming") void waitForName(now);
  },
  onFault(job, problem) {
    if (job.stage !== "kept") URL.revokeObjectURL(job.preview);
    if (shown?.job === job && job.stage !== "kept") shown = undefined;
    fail(problem, "save");
    if (job.stage === "kept") void measure(job);
  },
});

// Only for one that is kept: a note may have to say which one it means.
async function measure(job) {
  job.pixels ??= await pixelsAt(job.preview);
  render();
}

async function waitForName(paste) {
  const named = await host.named(paste).catch(() => undefined);
  if (named) hear("paste", named);
}

async function take({ images, fault: problem }) {
  clearFault();
  for (const image of images) {
    const refused = checkImage(image, settings.maxUploadBytes);
    if (refused) {
      fail(refused, "save");
      continue;
    }
    const preview = await host.preview(image);
    const { job, fault: full } = queue.add(image, preview);
    if (full) {
      URL.revokeObjectURL(preview);
      fail(full, "save");
      continue;
    }
    say("Sending");
    show({ job });
    setTimeout(render, 350);
  }
  if (problem) fail(problem, "save");
}

listenForImages(take);

/* ---------- what happens elsewhere ---------- */

function hear(name, value) {
  if (name === "list") {
    recent = value.map((paste) =>
      laterOf(
        recent.find(({ id }) => id === paste.id),
        paste,
      ),
    );
    const again = recent.find(({ id }) => id === shown?.paste?.id);
    if (again) update(again);
  } else if (name === "paste") {
    recent = withPaste(recent, value);
    if (shown?.paste?.id === value.id) update(laterOf(shown.paste, value));
  } else {
    recent = withoutPaste(recent, value);
    if (shown?.paste?.id === value) show(undefined);
  }
  render();
}

function update(paste) {
  const wasNaming = shown.paste.status === "naming";
  shown = { paste };
  const timing = timings.get(paste.id);
  if (wasNaming && timing && paste.status === "named") timing.namedMs = Date.now() - timing.pastedMs;
  if (wasNaming && paste.status === "named") say(paste.namedBy ? `Named ${paste.name}` : "No name was found in it");
}

/* ---------- what the buttons do ---------- */

const naming = createNamingCard({
  rename(id, name) {
    say("");
    return host.rename(id, name);
  },
  onRenamed(paste) {
    if (shown?.paste?.id === paste.id) renamedId = paste.id;
    say(`Renamed to ${paste.name}`);
    hear("paste", paste);
  },
  onFault: (problem) => fail(problem, "rename"),
});
const notice = createNotice({
  async onRestore(id) {
    try {
      const paste = await host.restore(id);
      hear("paste", paste);
      say(`Put back ${paste.name}`);
      show({ paste });
      takeFocus();
    } catch (problem) {
      fail(problem, "restore");
    }
  },
});

async function removeShown() {
  const { paste } = shown;
  try {
    await host.remove(paste.id);
  } catch (problem) {
    return fail(problem, "remove");
  }
  hear("removed", paste.id);
  notice.show(paste.id, `Removed ${fileNameOf(paste.optimized.path)}`);
  say("Removed both files. Put back is offered for 10 seconds.");
}

const pasteAt = (element) => recent.find(({ id }) => id === element.closest("li").dataset.id);
const DO = {
  retry: () => {
    keptFault = undefined;
    say("Sending");
    queue.tryAgain();
  },
  discard: () => {
    keptFault = undefined;
    const discarded = queue.discard();
    for (const { preview } of discarded) URL.revokeObjectURL(preview);
    show(discarded.includes(shown?.job) ? undefined : shown);
  },
  reload: () => location.reload(),
  dismiss: () => clearFault(),
  "undo-paste": () => void removeShown(),
  "copy-path": (button) => void copyPathFrom(button, shown.paste[button.dataset.kind].path, say),
  "copy-image": (button) =>
    void copyImageFrom(button, pictures.blobOf(shown.paste.id, "optimized.png"), { say, url: settings.url }),
  "copy-recent": (button) => void copyPathFrom(button, pasteAt(button).optimized.path, say),
  show: (button) => {
    clearFault();
    show({ paste: pasteAt(button) });
    window.scrollTo({ top: 0 });
    takeFocus();
  },
};
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do]");
  if (button) DO[button.dataset.do]?.(button);
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") clearFault();
});

/* ---------- the start ---------- */

for (const key of document.querySelectorAll('[data-key="modifier"]')) setText(key, isMac ? "⌘" : "Ctrl");

followFocus();

if (settings.isApp) {
  document.body.classList.add("app");
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    host.tellSize({ width: Math.ceil(width), height: Math.ceil(height) });
  }).observe(document.body);
} else {
  const EXPIRED = ["page-token-needed", "page-token-wrong", "other-project"];
  live = stayLive({
    host,
    onEvent: hear,
    onConnection: (text) => setText(byId("connection"), text),
    isFinal(problem) {
      const isExpired = EXPIRED.includes(problem.code);
      if (isExpired) {
        fault = { what: "This page is too old.", next: "Reload it to go on.", action: "reload" };
        render();
      }
      return isExpired;
    },
  });
}
