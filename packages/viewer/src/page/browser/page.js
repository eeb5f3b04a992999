// Starts the page: makes its parts, and connects them to keys, clicks and events.
import { copyImageFrom, copyPathFrom } from "./clipboard.js";
import { byId, followFocus, setText, takeFocus } from "./elements.js";
import { createGallery, NOTHING_LISTED, PAGE_SIZE, wantingMore, withOlder } from "./gallery.js";
import { followChanges, pause } from "./live-updates.js";
import { createNameCard } from "./name-card.js";
import { canReadClipboard, listenForImages, readClipboard } from "./paste-and-drop.js";
import { createPictures, createShot } from "./pictures.js";
import { clearFault, fail, pastesOn, receive, render, say, show } from "./screen.js";
import { createSearchField } from "./search.js";
import { createNotice, removeShown, restore } from "./undo-paste.js";
import { createUploads, uploadImages } from "./uploads.js";
import { createViewerOverHttp } from "./viewer-over-http.js";
import { createViewerOverMcp } from "./viewer-over-mcp.js";

const settings = JSON.parse(document.body.dataset.settings);
document.body.removeAttribute("data-settings");
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
let changes;

const viewer = settings.isApp
  ? createViewerOverMcp({
      title: settings.title,
      peer: window.parent,
      listen: (listener) => window.addEventListener("message", listener),
      wait: pause,
      onTheme: (theme) => document.documentElement.setAttribute("data-theme", theme),
      onTitle: (title) => setText(byId("title"), title),
    })
  : createViewerOverHttp({ ...settings, onAnswer: () => changes?.reconnectNow() });
const pictures = createPictures({ fetchPicture: viewer.picture });

const page = {
  settings,
  viewer,
  pictures,
  keys: isMac ? "⌘ V" : "Ctrl V",
  shot: createShot({ pictures, can: viewer.can }),
  gallery: createGallery({ pictures }),
  // { job } while an image is uploaded, { paste } afterwards, undefined at first.
  shown: undefined,
  listed: NOTHING_LISTED,
  // { query, words, hits, near } while the grid shows what a search found.
  search: undefined,
  fault: undefined,
  // Why images wait for another try; shown when there is no other fault.
  keptFault: undefined,
  // The id of the shown screenshot, when it was renamed last.
  renamedId: undefined,
  // By id: { pastedMs, savedMs, namedMs }, and the address of what was pasted.
  timings: new Map(),
  previews: new Map(),
};
page.uploads = createUploads(page);
page.searchField = createSearchField(page);
page.notice = createNotice({ onRestore: (id) => void restore(page, id) });
page.nameCard = createNameCard({
  rename(id, name) {
    say("");
    return viewer.rename(id, name);
  },
  onRenamed(paste) {
    if (page.shown?.paste?.id === paste.id) page.renamedId = paste.id;
    say(`Renamed to ${paste.name}`);
    receive(page, "paste", paste);
  },
  onFault: (problem) => fail(page, problem, "rename"),
});

const pasteOfTile = (element) => pastesOn(page).find(({ id }) => id === element.closest("li").dataset.id);

async function listMore() {
  page.listed = wantingMore(page.listed);
  try {
    const older = await viewer.list({ limit: PAGE_SIZE, before: page.listed.pastes.at(-1)?.id });
    page.listed = withOlder(page.listed, older);
    // First, because the button may disappear.
    render(page);
    page.gallery.focusOn(older.pastes[0]?.id);
    say(`${older.pastes.length} more`);
  } catch (problem) {
    fail(page, problem, "list");
  }
}

// By the `data-do` of a button.
const ACTIONS = {
  retry() {
    page.keptFault = undefined;
    say("Sending");
    page.uploads.tryAgain();
  },
  discard() {
    page.keptFault = undefined;
    const discarded = page.uploads.discard();
    for (const { preview } of discarded) URL.revokeObjectURL(preview);
    show(page, discarded.includes(page.shown?.job) ? undefined : page.shown);
  },
  reload: () => location.reload(),
  dismiss: () => clearFault(page),
  "undo-paste": () => void removeShown(page),
  "copy-path": (button) => void copyPathFrom(button, page.shown.paste[button.dataset.kind].path, say),
  "copy-image": (button) =>
    void copyImageFrom(button, pictures.blobOf(page.shown.paste.id, "optimized.png"), { say, url: settings.url }),
  "copy-listed": (button) => void copyPathFrom(button, pasteOfTile(button).optimized.path, say),
  paste: () => void readClipboard().then((found) => uploadImages(page, found)),
  more: () => void listMore(),
  "end-search": () => page.searchField.clear(),
  show(button) {
    clearFault(page);
    show(page, { paste: pasteOfTile(button) });
    window.scrollTo({ top: 0 });
    takeFocus();
  },
};
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do]");
  if (button) ACTIONS[button.dataset.do]?.(button);
});
document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
  if (key === "Escape" && !isComposing) {
    // One thing at a time. By itself the browser would empty a search field as well.
    if (page.fault) event.preventDefault();
    else page.searchField.clear();
    clearFault(page);
  }
  const search = byId("search");
  if (key === "/" && !(ctrlKey || metaKey || altKey) && !target.closest("input") && search.checkVisibility()) {
    event.preventDefault();
    search.focus();
  }
});

const OUTDATED = ["page-token-needed", "page-token-wrong", "other-project"];

// Trying again does not help when the page itself is too old.
function giveUpIfOutdated({ code }) {
  if (!OUTDATED.includes(code)) return false;
  page.fault = { what: "This page is too old.", next: "Reload it to continue.", action: "reload" };
  render(page);
  return true;
}

for (const key of document.querySelectorAll('[data-key="modifier"]')) setText(key, isMac ? "⌘" : "Ctrl");
byId("tools").hidden = !viewer.can.list;
byId("paste").hidden = !canReadClipboard();
listenForImages((found) => void uploadImages(page, found));
followFocus();
if (settings.isApp) {
  document.body.classList.add("app");
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    viewer.tellSize({ width: Math.ceil(width), height: Math.ceil(height) });
  }).observe(document.body);
} else {
  changes = followChanges({
    openEvents: viewer.openEvents,
    list: () => viewer.list({ limit: Math.min(page.listed.wanted, settings.maxListed) }),
    onEvent: (name, value) => receive(page, name, value),
    onConnection: (text) => setText(byId("connection"), text),
    isFinal: giveUpIfOutdated,
  });
}
