// The grid of screenshots: all, newest first and a page at a time, or those that a search found. Ids sort by time.
import { byId, partOf, setText, takeFocus } from "./elements.js";
import { foundInWords, reasonOf } from "./matches.js";
import { THUMBNAIL } from "./pictures.js";
import { bytesInWords, dayInWords, pixelsInWords } from "./texts.js";

export const PAGE_SIZE = 24;

// `wanted`: how many may be listed. It grows only when somebody asks for more.
export const NOTHING_LISTED = { pastes: [], more: false, wanted: PAGE_SIZE };

// Answers and events may arrive in the wrong order: "named" is always later than "naming".
export const laterOf = (known, paste) => (known?.status === "named" && paste.status === "naming" ? known : paste);

const newestFirst = (pastes) => pastes.toSorted((a, b) => (a.id < b.id ? 1 : -1));

export function withPaste(listed, paste) {
  const { pastes, more, wanted } = listed;
  const known = pastes.find(({ id }) => id === paste.id);
  // It is on a page that was not fetched.
  if (!known && more && paste.id < (pastes.at(-1)?.id ?? "")) return listed;
  const others = pastes.filter(({ id }) => id !== paste.id);
  const all = newestFirst([...others, laterOf(known, paste)]);
  return { pastes: all.slice(0, wanted), more: more || all.length > wanted, wanted };
}

export const withoutPaste = (listed, id) => ({
  ...listed,
  pastes: listed.pastes.filter((paste) => paste.id !== id),
});

// Before the next page is fetched: otherwise a new screenshot would push out the last listed one, and leave a gap.
export const wantingMore = (listed) => ({ ...listed, wanted: listed.wanted + PAGE_SIZE });

export function withOlder({ pastes, wanted }, older) {
  const ids = new Set(pastes.map(({ id }) => id));
  const all = newestFirst([...pastes, ...older.pastes.filter(({ id }) => !ids.has(id))]);
  return { pastes: all.slice(0, wanted), more: older.more || all.length > wanted, wanted };
}

// `change(paste)`: returns the paste as it is now, or undefined when it was removed.
export const withChangedHits = (search, change) =>
  search && {
    ...search,
    hits: search.hits.map((hit) => ({ ...hit, paste: change(hit.paste) })).filter(({ paste }) => paste !== undefined),
    near: search.near.map(change).filter((paste) => paste !== undefined),
  };

const plainTiles = (pastes) => pastes.map((paste) => ({ paste, reason: [] }));
const foundTiles = ({ hits, words }) => hits.map((hit) => ({ paste: hit.paste, reason: reasonOf(hit, words) }));

export function createGallery({ pictures }) {
  let drawn = {};
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) void showThumbnail(target);
    },
    { rootMargin: "400px" },
  );

  // Only when the tile comes into view.
  async function showThumbnail(tile) {
    observer.unobserve(tile);
    const address = await pictures.addressOf(tile.dataset.id, THUMBNAIL).catch(() => undefined);
    if (address) partOf(tile, "thumbnail").src = address;
  }

  function newTile(id) {
    const tile = byId("tile").content.firstElementChild.cloneNode(true);
    tile.dataset.id = id;
    observer.observe(tile);
    return tile;
  }

  // Keeps the elements of tiles, so that the focus is not lost.
  function showTiles(section, tiles) {
    const list = partOf(section, "list");
    const known = new Map([...list.children].map((tile) => [tile.dataset.id, tile]));
    const wanted = tiles.map(({ paste }) => known.get(paste.id) ?? newTile(paste.id));
    for (const [index, tile] of wanted.entries()) {
      known.delete(tile.dataset.id);
      fillTile(tile, tiles[index]);
    }
    for (const tile of known.values()) {
      observer.unobserve(tile);
      if (tile.contains(document.activeElement)) takeFocus();
      tile.remove();
    }
    for (const [index, tile] of wanted.entries()) {
      if (list.children[index] !== tile) list.insertBefore(tile, list.children[index] ?? null);
    }
  }

  return {
    show({ listed, search, shownId }) {
      if (drawn.listed === listed && drawn.search === search && drawn.shownId === shownId) return;
      drawn = { listed, search, shownId };
      // Nothing is shown twice: the shown one is above the grid.
      const isOther = ({ paste }) => paste.id !== shownId;
      const tiles = (search ? foundTiles(search) : plainTiles(listed.pastes)).filter(isOther);
      const gallery = byId("gallery");
      gallery.hidden = tiles.length === 0 && !search && !listed.more;
      setText(byId("gallery-title"), search ? "Search results" : "All screenshots");
      partOf(gallery, "about").hidden = !search;
      setText(partOf(gallery, "found"), search ? foundInWords(search) : "");
      gallery.querySelector('[data-do="more"]').hidden = search !== undefined || !listed.more;
      showTiles(gallery, tiles);
      const near = plainTiles(search?.near ?? []).filter(isOther);
      byId("near").hidden = near.length === 0;
      showTiles(byId("near"), near);
    },
    focusOn: (id) => byId("gallery").querySelector(`[data-id="${id}"] [data-do="show"]`)?.focus(),
  };
}

function fillTile(tile, { paste: { name, optimized, pastedAt }, reason }) {
  setText(partOf(tile, "name"), name);
  setText(partOf(tile, "facts"), `${pixelsInWords(optimized)}, ${bytesInWords(optimized.bytes)}`);
  const when = partOf(tile, "when");
  when.dateTime = pastedAt;
  setText(when, dayInWords(new Date(pastedAt), new Date()));
  tile.querySelector('[data-do="copy-listed"]').setAttribute("aria-label", `Copy path of ${name}`);
  const why = partOf(tile, "why");
  why.hidden = reason.length === 0;
  why.replaceChildren(...reason.map(elementOf));
}

function elementOf({ text, isMatch }) {
  if (!isMatch) return text;
  const mark = document.createElement("mark");
  mark.textContent = text;
  return mark;
}
