// The card with the name of both files. It never overwrites what somebody is typing.
import { byId, partOf, setFlag, setText } from "./elements.js";
import { endingOf, isFirstName, isNamedAfter, nameHint } from "./texts.js";

const MAX_REMEMBERED = 50;

export function createNameCard({ rename, onRenamed, onFault }) {
  const root = byId("naming");
  const card = {
    ...{ rename, onRenamed, onFault, root },
    input: byId("name"),
    button: byId("rename"),
    undo: root.querySelector('[data-do="undo-rename"]'),
    paste: undefined,
    // The name that the card put into the field last: as long as the field has it, nobody has typed.
    shownName: "",
    // The name that was asked for, when it got a number because others have it.
    takenName: "",
    isBusy: false,
    // By id: the name before the last rename here, for Undo rename.
    earlierNames: new Map(),
  };
  listenToCard(card);
  return { show: (paste) => showPaste(card, paste) };
}

function showPaste(card, paste) {
  card.root.hidden = paste === undefined;
  if (paste === undefined) return;
  const isOther = card.paste?.id !== paste.id;
  const isInUse = card.input.value !== card.shownName || document.activeElement === card.input;
  card.paste = paste;
  if (isOther) {
    card.takenName = "";
    showNameFault(card, "");
  }
  if (isOther || !isInUse) fillIn(card, paste.name);
  setText(partOf(card.root, "ending"), endingOf(paste));
  refresh(card);
}

function fillIn(card, name) {
  card.shownName = name;
  card.input.value = name;
}

function refresh(card) {
  const { paste, input, shownName, takenName, isBusy } = card;
  const { name, status, namedBy } = paste;
  const hint =
    takenName && input.value === name
      ? `${takenName} is taken, so a number was added.`
      : nameHint({ value: input.value, shownName, name, status, namedBy });
  setText(byId("name-hint"), hint);
  setFlag(card.button, "aria-disabled", isBusy || input.value === name || input.value.trim() === "");
  card.undo.hidden = !card.earlierNames.has(paste.id);
  showSuggestions(card);
}

function showSuggestions({ root, paste: { suggestions, name, status } }) {
  const names = partOf(root, "names");
  const isComing = suggestions.length === 0 && status === "naming";
  names.hidden = suggestions.length === 0 && !isComing;
  partOf(names, "names-shape").hidden = !isComing;
  const buttons = [...names.querySelectorAll("button")];
  for (const [index, suggestion] of suggestions.entries()) {
    const button = buttons[index] ?? names.appendChild(document.createElement("button"));
    button.type = "button";
    button.dataset.do = "suggestion";
    setText(button, suggestion);
    button.setAttribute("aria-pressed", String(isNamedAfter(name, suggestion)));
  }
  for (const button of buttons.slice(suggestions.length)) button.remove();
}

function showNameFault({ root, input }, text) {
  const fault = byId("name-fault");
  fault.hidden = text === "";
  byId("name-hint").hidden = text !== "";
  setText(partOf(fault, "text"), text);
  partOf(root, "box").classList.toggle("bad", text !== "");
  setFlag(input, "aria-invalid", text !== "");
  input.setAttribute("aria-describedby", text === "" ? "name-hint" : "name-fault name-hint");
}

async function changeName(card, name, { isUndo }) {
  if (card.isBusy) return;
  const { id, name: before } = card.paste;
  const typed = card.input.value;
  card.isBusy = true;
  showNameFault(card, "");
  refresh(card);
  try {
    const renamed = await card.rename(id, name);
    card.isBusy = false;
    remember(card, id, { before, after: renamed.name, isUndo });
    if (card.paste.id === id) showRenamed(card, renamed.name, { asked: name, typed });
    card.onRenamed(renamed);
  } catch (problem) {
    card.isBusy = false;
    const field = problem.errors?.find(({ pointer }) => pointer === "/name");
    if (!field) card.onFault(problem);
    else if (card.paste.id === id) {
      showNameFault(card, sentenceOf(field.message));
      card.input.focus();
    }
    refresh(card);
  }
}

function remember({ earlierNames }, id, { before, after, isUndo }) {
  if (isUndo || isFirstName(before)) earlierNames.delete(id);
  else if (after !== before) {
    // Deleted first, so that it becomes the newest.
    earlierNames.delete(id);
    earlierNames.set(id, before);
    if (earlierNames.size > MAX_REMEMBERED) earlierNames.delete(earlierNames.keys().next().value);
  }
}

function showRenamed(card, name, { asked, typed }) {
  const base = asked.toLowerCase().replace(/[\s_]+/g, "-");
  card.takenName = isNamedAfter(name, base) && name !== base ? base : "";
  // Otherwise somebody is still typing.
  if (card.input.value === typed) fillIn(card, name);
  if (card.undo === document.activeElement && !card.earlierNames.has(card.paste.id)) card.input.focus();
}

// The viewer's message about a field starts with the verb.
const sentenceOf = (message) => (/^[a-z]/.test(message) ? `The name ${message}.` : message);

function listenToCard(card) {
  const { root, input, button, undo } = card;
  const submit = () => {
    if (button.getAttribute("aria-disabled") !== "true") void changeName(card, input.value.trim(), { isUndo: false });
  };
  button.addEventListener("click", submit);
  input.addEventListener("keydown", ({ key, isComposing }) => {
    if (key === "Enter" && !isComposing) submit();
  });
  input.addEventListener("input", () => {
    showNameFault(card, "");
    refresh(card);
  });
  // Nothing was typed: show the name that arrived while the field had the focus.
  input.addEventListener("blur", () => {
    if (card.paste === undefined) return;
    if (input.value === card.shownName) fillIn(card, card.paste.name);
    refresh(card);
  });
  root.addEventListener("click", ({ target }) => {
    const clicked = target.closest("button");
    if (clicked?.dataset.do === "suggestion" && clicked.getAttribute("aria-pressed") !== "true") {
      void changeName(card, clicked.textContent, { isUndo: false });
    }
    if (clicked === undo) void changeName(card, card.earlierNames.get(card.paste.id), { isUndo: true });
  });
}
