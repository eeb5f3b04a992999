// The list of recent screenshots, newest first. Ids sort by time.
import { byId, partOf, setText } from "./elements.js";
import { THUMBNAIL } from "./pictures.js";
import { bytesInWords, fileNameOf } from "./texts.js";

export const MAX_RECENT = 10;

// Answers and events may arrive in the wrong order: "named" is always later than "naming".
export const laterOf = (known, paste) => (known?.status === "named" && paste.status === "naming" ? known : paste);

export function withPaste(pastes, paste) {
  const known = pastes.find(({ id }) => id === paste.id);
  const others = pastes.filter(({ id }) => id !== paste.id);
  return [...others, laterOf(known, paste)].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MAX_RECENT);
}

export const withoutPaste = (pastes, id) => pastes.filter((paste) => paste.id !== id);

// Keeps the elements of rows, so that the focus is not lost.
export function showRecent({ pastes, shownId, pictures, onLeave }) {
  const section = byId("recent");
  const list = partOf(section, "list");
  section.hidden = pastes.length === 0;
  const rows = new Map([...list.children].map((row) => [row.dataset.id, row]));
  for (const paste of pastes) {
    const row = rows.get(paste.id) ?? newRow(paste.id, pictures);
    rows.delete(paste.id);
    fillRow(row, paste, paste.id === shownId);
  }
  for (const row of rows.values()) {
    if (row.contains(document.activeElement)) onLeave(row);
    row.remove();
  }
  for (const [index, { id }] of pastes.entries()) {
    const row = rowOf(list, id) ?? created.get(id);
    created.delete(id);
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  }
}

const created = new Map();
const rowOf = (list, id) => [...list.children].find((row) => row.dataset.id === id);

function newRow(id, pictures) {
  const row = byId("recent-row").content.firstElementChild.cloneNode(true);
  row.dataset.id = id;
  created.set(id, row);
  pictures.addressOf(id, THUMBNAIL).then(
    (address) => {
      if (address) partOf(row, "thumbnail").src = address;
    },
    () => {},
  );
  return row;
}

function fillRow(row, { optimized }, isShown) {
  const file = fileNameOf(optimized.path);
  setText(partOf(row, "file"), file);
  setText(partOf(row, "bytes"), bytesInWords(optimized.bytes));
  row.querySelector('[data-do="copy-recent"]').setAttribute("aria-label", `Copy path of ${file}`);
  const pick = row.querySelector('[data-do="show"]');
  if (isShown) pick.setAttribute("aria-current", "true");
  else pick.removeAttribute("aria-current");
}
