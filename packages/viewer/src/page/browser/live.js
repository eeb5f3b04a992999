// Keeps the recent screenshots true while somebody looks.
import { createPatience, followEvents } from "./event-stream.js";

const SAY_LOST_AFTER_MS = 3_000;
// A browser has six connections to a host, and every stream holds one.
const LET_GO_AFTER_HIDDEN_MS = 20_000;

export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

// Answers with `hurry`, for when the viewer is known to be there: what waits to connect again does so now.
// `onEvent(name, data)`: "list" with pastes, "paste" with one, "removed" with an id. `isFinal(fault)`: no use in trying again.
export function stayLive({ host, onEvent, onConnection, isFinal }) {
  const { wait, hurry } = createPatience(pause);
  let controller;
  let lostTimer;
  let hiddenTimer;

  const lost = () => {
    lostTimer ??= setTimeout(() => onConnection("Connection lost, trying again"), SAY_LOST_AFTER_MS);
  };
  const back = () => {
    clearTimeout(lostTimer);
    lostTimer = undefined;
    onConnection("");
  };

  function connect() {
    controller = new AbortController();
    const { signal } = controller;
    // What comes while the list is on its way is newer than it.
    let early;
    const onStreamEvent = (name, data) => {
      if (name !== "paste" && name !== "removed") return;
      const value = JSON.parse(data);
      const event = name === "paste" ? ["paste", value] : ["removed", value.id];
      if (early) early.push(event);
      else onEvent(...event);
    };
    async function onOpen() {
      early = [];
      const pastes = await host.list().catch(() => undefined);
      if (signal.aborted) return;
      if (pastes) {
        back();
        onEvent("list", pastes);
      }
      const came = early;
      early = undefined;
      for (const event of came) onEvent(...event);
    }
    const onLost = (fault) => {
      lost();
      return isFinal(fault) ? "give-up" : undefined;
    };
    void followEvents({ open: host.openEvents, onOpen, onEvent: onStreamEvent, onLost, signal, wait });
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => controller.abort(), LET_GO_AFTER_HIDDEN_MS);
    else if (controller.signal.aborted) connect();
    else hurry();
  });
  window.addEventListener("focus", hurry);
  connect();
  return { hurry };
}
