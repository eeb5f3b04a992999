// Polls the status route until the user is connected, then shows whose account it is.
const POLL_MS = 2_000;
const shown = (id) => document.getElementById(id);
let timer;

const LINKS = { wait: "Start again", ok: "Connect another account" };

function show(state, heading, detail) {
  shown("card").dataset.state = state;
  shown("connect").textContent = LINKS[state] ?? invitation;
  shown("connect").classList.toggle("second", state in LINKS);
  // Unchanged text is not written again: a screen reader would read it aloud every two seconds.
  for (const [id, text] of [
    ["state", heading],
    ["detail", detail],
  ]) {
    if (shown(id).textContent !== text) shown(id).textContent = text;
  }
}

const introduction = shown("detail").textContent;
const invitation = shown("connect").textContent;

async function ask(path) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Error(body.problem);
  return body;
}

/** Undefined if the provider does not say: a revoked connection only shows when it is used. */
const whoseAccount = () =>
  ask("/account").then(
    ({ account }) => account,
    () => undefined,
  );

async function poll() {
  try {
    const { configured, waiting, problem } = await ask("/status");
    const account = configured ? await whoseAccount() : undefined;
    shown("account").textContent = account ?? "";
    shown("facts").hidden = account === undefined;
    if (account !== undefined)
      return show("ok", "Connected", problem ?? "The service has what it needs. You can close the other tab.");
    if (configured)
      show("danger", "The provider does not answer", "It does not say whose account this is. This page keeps trying.");
    else if (waiting)
      show("wait", "Waiting for your answer", "Agree in the tab that has opened. This page updates by itself.");
    else if (problem) show("danger", "Not connected", problem);
    else show("off", "Not connected", introduction);
  } catch {
    show("danger", "The service does not answer", "Start it again. This page keeps trying.");
  }
  clearTimeout(timer);
  timer = setTimeout(poll, POLL_MS);
}

// Poll at once when the user comes back from the other tab.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void poll();
});
void poll();
