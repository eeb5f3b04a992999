// The search field: asks the viewer while somebody types, and shows what it found.
import { byId, partOf, setText } from "./elements.js";
import { pause } from "./live-updates.js";
import { countInWords, wordsOf } from "./matches.js";
import { fail, render, say, show } from "./screen.js";

const TYPING_PAUSE_MS = 200;
const MAX_FOUND = 48;
const NEAR_MS = 3_600_000;
const MAX_NEAR = 4;
const NEAR_ASKED = 16;

// Asks for one query at a time: while somebody types or an answer is awaited, only the newest query counts.
// Returns a function that takes the next query; "" takes back the last one.
export function createLatestQuery({ ask, wait, onAnswer, onFault }) {
  let wanted;
  let isBusy = false;

  async function work() {
    if (isBusy) return;
    isBusy = true;
    try {
      while (wanted !== undefined) await tryOnce(wanted);
    } finally {
      isBusy = false;
    }
  }

  async function tryOnce(query) {
    await wait();
    if (query !== wanted) return;
    const settle = await ask(query).then(
      (answer) => () => onAnswer(query, answer),
      (problem) => () => onFault(problem),
    );
    if (query !== wanted) return;
    wanted = undefined;
    settle();
  }

  return (query) => {
    wanted = query === "" ? undefined : query;
    void work();
  };
}

// Those pasted in the hour before the first hit, without hits.
export function nearOf(hits, older) {
  const found = new Set(hits.map(({ paste }) => paste.id));
  const sinceMs = Date.parse(hits[0].paste.pastedAt) - NEAR_MS;
  const isNear = ({ id, pastedAt }) => !found.has(id) && Date.parse(pastedAt) >= sinceMs;
  return older.filter(isNear).slice(0, MAX_NEAR);
}

export function createSearchField(page) {
  const field = byId("search");
  const box = byId("searching");
  const showCount = (text) => {
    setText(partOf(box, "count"), text);
    setText(partOf(box, "key"), field.value === "" ? "/" : "Esc");
  };
  const search = createLatestQuery({
    ask: (query) => page.viewer.search(query, MAX_FOUND),
    wait: () => pause(TYPING_PAUSE_MS),
    onAnswer(query, hits) {
      const count = countInWords(hits.length, MAX_FOUND);
      showCount(count);
      say(hits.length === 0 ? `Nothing found for ${query}` : `${count} for ${query}`);
      showFound(page, query, hits);
    },
    onFault(problem) {
      showCount("");
      page.search = undefined;
      fail(page, problem, "search");
    },
  });

  function clear() {
    if (field.value === "" && page.search === undefined) return;
    field.value = "";
    search("");
    showCount("");
    page.search = undefined;
    render(page);
  }

  field.addEventListener("input", () => {
    const query = field.value.trim();
    if (query === "") return clear();
    showCount("Searching …");
    search(query);
  });
  return { clear };
}

function showFound(page, query, hits) {
  const isFirst = page.search === undefined;
  page.search = { query, words: wordsOf(query), hits, near: [] };
  // The screenshot that was open makes room; an upload does not.
  show(page, isFirst && page.shown?.job === undefined ? undefined : page.shown);
  if (hits.length > 0) void findNear(page, query, hits);
}

async function findNear(page, query, hits) {
  const before = hits[0].paste.id;
  const older = await page.viewer.list({ limit: NEAR_ASKED, before }).catch(() => ({ pastes: [] }));
  if (page.search?.query !== query) return;
  page.search = { ...page.search, near: nearOf(hits, older.pastes) };
  render(page);
}
