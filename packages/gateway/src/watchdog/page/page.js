// Keeps the watchdog's page up to date: fetches its parts once per second and sends its forms without leaving the page.
const EVERY_MS = 1_000;
// A hidden tab only keeps its title right.
const HIDDEN_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 3_000;
// Enough for a stop with the longest DRAIN_DELAY_S (60 s) and a slow start.
const DONE_WITHIN_MS = 120_000;

const byId = (id) => document.getElementById(id);
const [announcer, fault, live, output] = ["announcer", "fault", "live", "output"].map(byId);
const shown = new Map();
let title = document.querySelector("h1").textContent;
let goneSince;
let busy;
let timer;

// The server renders its own local time; a reader behind a tunnel may be in another time zone.
function localise(element) {
  for (const time of element.querySelectorAll("time")) time.textContent = inWords(new Date(time.dateTime));
}
function inWords(at) {
  if (at.toDateString() === new Date().toDateString()) return at.toLocaleTimeString("en-GB");
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return `${day} ${at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

function replace(element, html) {
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  element.innerHTML = html;
  localise(element);
  // Keep the focus on the button that replaces the focused one.
  if (key) (element.querySelector(`[data-key="${key}"]`) ?? element.querySelector("button"))?.focus();
}

function show({ title: newTitle, parts, output: lines }) {
  for (const element of document.querySelectorAll("[data-part]")) {
    const name = element.dataset.part;
    // A busy button stays until its command is done.
    if (parts[name] === shown.get(name) || (busy && element.contains(busy))) continue;
    shown.set(name, parts[name]);
    replace(element, parts[name]);
  }
  if (lines !== undefined) showOutput(lines);
  if (newTitle === title) return;
  title = newTitle;
  announcer.textContent = title;
  document.title = `Watchdog: ${title.toLowerCase()} · Backplane`;
}

function showOutput(lines) {
  const box = output.querySelector("pre");
  if (box.textContent === lines) return;
  const wasAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 8;
  box.textContent = lines;
  if (wasAtEnd) box.scrollTop = box.scrollHeight;
}

function showFault(text) {
  fault.hidden = text === "";
  fault.querySelector("p").textContent = text;
}

function setLive(isLive) {
  live.className = isLive ? "state ok" : "state danger";
  live.textContent = isLive ? "Live" : "Not responding";
  markButtons();
}

// While a command runs, or the watchdog does not respond, the other buttons are disabled.
function markButtons() {
  for (const button of document.querySelectorAll("form button")) {
    if (goneSince || (busy && button !== busy)) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
    if (button === busy) {
      button.setAttribute("aria-busy", "true");
      continue;
    }
    button.removeAttribute("aria-busy");
    button.style.width = "";
  }
}

async function refresh() {
  clearTimeout(timer);
  try {
    const response = await fetch(output.open ? "/parts?output=true" : "/parts", {
      cache: "no-store",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    show(await response.json());
    if (goneSince) showFault("");
    goneSince = undefined;
    setLive(true);
  } catch {
    goneSince ??= new Date();
    showFault(
      `The watchdog has not responded since ${inWords(goneSince)}. Start Backplane again. The state below is the last known one.`,
    );
    setLive(false);
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, document.hidden ? HIDDEN_EVERY_MS : EVERY_MS);
}

async function send(form, button) {
  busy = button;
  button.style.width = `${button.offsetWidth}px`;
  markButtons();
  showFault("");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
      signal: AbortSignal.timeout(DONE_WITHIN_MS),
    });
    const { code, title: says, detail } = await response.json();
    // The reason why it did not start is already part of the page.
    if (!response.ok && code !== "gateway-not-started") showFault(`${says}. ${detail ?? ""}`);
  } catch {
    // The next refresh reports it.
  }
  busy = undefined;
  await refresh();
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!busy && !goneSince) void send(event.target, event.submitter ?? event.target.querySelector("button"));
});
output.addEventListener("toggle", async () => {
  if (!output.open) return;
  await refresh();
  const box = output.querySelector("pre");
  box.scrollTop = box.scrollHeight;
});
document.addEventListener("visibilitychange", refresh);
localise(document.querySelector(".card"));
void refresh();
