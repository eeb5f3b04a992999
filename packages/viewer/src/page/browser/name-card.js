// The card with the name. It never takes away what somebody types in it.
import { byId, partOf, setFlag, setText } from "./elements.js";
import { endingOf, isFirstName, isNamedAfter, nameHint } from "./texts.js";

const MAX_REMEMBERED = 50;

// The viewer says what is wrong with a field without naming it.
const sentenceOf = (message) => (/^[a-z]/.test(message) ? `The name ${message}.` : message);

export function createNamingCard({ rename, onRenamed, onFault }) {
  const card = byId("naming");
  const input = byId("name");
  const button = byId("rename");
  const hint = byId("name-hint");
  const fault = byId("name-fault");
  const names = partOf(card, "names");
  const undo = card.querySelector('[data-do="undo-rename"]');
  // By id: the name before the last change that was made here.
  const earlier = new Map();
  let paste;
  let shownName = "";
  let taken = "";
  let isBusy = false;

  const put = (name) => {
    shownName = name;
    input.value = name;
  };

  function remember(id, name) {
    earlier.delete(id);
    earlier.set(id, name);
    if (earlier.size > MAX_REMEMBERED) earlier.delete(earlier.keys().next().value);
  }

  function tellFault(text) {
    fault.hidden = text === "";
    hint.hidden = text !== "";
    setText(partOf(fault, "text"), text);
    partOf(card, "box").classList.toggle("bad", text !== "");
    setFlag(input, "aria-invalid", text !== "");
    input.setAttribute("aria-describedby", text === "" ? "name-hint" : "name-fault name-hint");
  }

  function refresh() {
    const { name, status, namedBy } = paste;
    const says = taken && input.value === name ? `${taken} is taken, so a number follows it.` : undefined;
    setText(hint, says ?? nameHint({ value: input.value, shownName, name, status, namedBy }));
    setFlag(button, "aria-disabled", isBusy || input.value === name || input.value.trim() === "");
    undo.hidden = !earlier.has(paste.id);
    showSuggestions();
  }

  function showSuggestions() {
    const { suggestions, name } = paste;
    const isComing = suggestions.length === 0 && paste.status === "naming";
    names.hidden = suggestions.length === 0 && !isComing;
    partOf(names, "names-shape").hidden = !isComing;
    const buttons = [...names.querySelectorAll("button")];
    for (const [index, suggestion] of suggestions.entries()) {
      const one = buttons[index] ?? names.appendChild(document.createElement("button"));
      one.type = "button";
      one.dataset.do = "suggestion";
      setText(one, suggestion);
      one.setAttribute("aria-pressed", String(isNamedAfter(name, suggestion)));
    }
    for (const one of buttons.slice(suggestions.length)) one.remove();
  }

  async function change(name, isUndo) {
    if (isBusy) return;
    const { id, name: before } = paste;
    const typed = input.value;
    isBusy = true;
    tellFault("");
    refresh();
    try {
      const renamed = await rename(id, name);
      if (isUndo || isFirstName(before)) earlier.delete(id);
      else if (renamed.name !== before) remember(id, before);
      isBusy = false;
      if (paste.id === id) {
        const hadFocus = undo === document.activeElement;
        const asked = name.toLowerCase().replace(/[\s_]+/g, "-");
        taken = isNamedAfter(renamed.name, asked) && renamed.name !== asked ? asked : "";
        // Whoever typed on meanwhile is not done yet.
        if (input.value === typed) put(renamed.name);
        if (hadFocus && !earlier.has(id)) input.focus();
      }
      onRenamed(renamed);
    } catch (problem) {
      isBusy = false;
      const field = problem.errors?.find(({ pointer }) => pointer === "/name");
      if (!field) onFault(problem);
      else if (paste.id === id) {
        tellFault(sentenceOf(field.message));
        input.focus();
      }
      refresh();
    }
  }

  const submit = () => {
    if (button.getAttribute("aria-disabled") !== "true") void change(input.value.trim(), false);
  };
  button.addEventListener("click", submit);
  input.addEventListener("keydown", ({ key, isComposing }) => {
    if (key === "Enter" && !isComposing) submit();
  });
  input.addEventListener("input", () => {
    tellFault("");
    refresh();
  });
  // Left as it was: the name that came meanwhile takes its place.
  input.addEventListener("blur", () => {
    if (paste && input.value === shownName) put(paste.name);
    if (paste) refresh();
  });
  card.addEventListener("click", ({ target }) => {
    const one = target.closest("button");
    if (one?.dataset.do === "suggestion" && one.getAttribute("aria-pressed") !== "true") {
      void change(one.textContent, false);
    }
    if (one === undo) void change(earlier.get(paste.id), true);
  });

  return {
    show(next) {
      card.hidden = next === undefined;
      if (next === undefined) return;
      const isOther = paste?.id !== next.id;
      const isTouched = input.value !== shownName || document.activeElement === input;
      paste = next;
      if (isOther) {
        taken = "";
        tellFault("");
      }
      if (isOther || !isTouched) put(paste.name);
      setText(partOf(card, "ending"), endingOf(paste));
      refresh();
    },
  };
}
