// Follows the viewer's event stream. Read with fetch, because EventSource cannot send the token in a header.
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;
// The viewer sends something every 15 s.
const SILENCE_MS = 45_000;
const MAX_UNREAD_CHARACTERS = 1_000_000;

export const delayAfter = (failures) => Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));

// A wait that can be cut short, except for the shortest: a stream that ends at once must not be opened in a tight loop.
export function createRetryWait(wait) {
  let early;
  return {
    endNow: () => early?.abort(),
    wait(ms, signal) {
      early = new AbortController();
      return wait(ms, ms > FIRST_DELAY_MS ? AbortSignal.any([signal, early.signal]) : signal);
    },
  };
}

// Returns a function that takes text as it arrives; calls `onEvent` for each complete event.
export function createEventReader(onEvent) {
  let rest = "";
  let name = "message";
  let data = [];
  const readLine = (line) => {
    if (line === "") {
      if (data.length > 0) onEvent(name, data.join("\n"));
      name = "message";
      data = [];
      return;
    }
    const [, field, value] = /^([^:]*):? ?([\s\S]*)$/.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  };
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    if (rest.length > MAX_UNREAD_CHARACTERS) throw new RangeError("An event is too long.");
    for (const line of lines) readLine(line);
  };
}

// `open(signal)` resolves with a fetch response, or rejects. Opens the stream again until the signal aborts, or until
// `onLost(fault)` returns "give-up".
export async function followEvents({ open, onOpen, onEvent, onLost, signal, wait }) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await readOnce({
        open,
        signal,
        onEvent,
        onOpen: () => {
          failures = 0;
          onOpen();
        },
      });
    } catch (fault) {
      if (signal.aborted) return;
      if (onLost(fault) === "give-up") return;
    }
    failures += 1;
    await wait(delayAfter(failures), signal);
  }
}

async function readOnce({ open, signal, onOpen, onEvent }) {
  const silence = new AbortController();
  let timer;
  const restartSilence = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  restartSilence();
  try {
    const { body } = await open(AbortSignal.any([signal, silence.signal]));
    onOpen();
    const read = createEventReader(onEvent);
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      restartSilence();
      read(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("The stream has ended.");
}

const SAY_LOST_AFTER_MS = 3_000;
// A browser opens at most six connections to a host, and each stream uses one.
const DISCONNECT_AFTER_HIDDEN_MS = 20_000;

export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

// Keeps the page up to date while it is visible.
// `list()`: the newest screenshots. `onEvent(name, data)`: "list" with what that returned, "paste" with one screenshot,
// "removed" with an id. `isFinal(fault)`: whether to give up.
export function followChanges({ openEvents, list, onEvent, onConnection, isFinal }) {
  const { wait, endNow: reconnectNow } = createRetryWait(pause);
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
    // Events that arrive while the list is fetched are newer than the list.
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
      const listed = await list().catch(() => undefined);
      if (signal.aborted) return;
      if (listed) {
        back();
        onEvent("list", listed);
      }
      const held = early;
      early = undefined;
      for (const event of held) onEvent(...event);
    }
    const onLost = (fault) => {
      lost();
      return isFinal(fault) ? "give-up" : undefined;
    };
    void followEvents({ open: openEvents, onOpen, onEvent: onStreamEvent, onLost, signal, wait });
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => controller.abort(), DISCONNECT_AFTER_HIDDEN_MS);
    else if (controller.signal.aborted) connect();
    else reconnectNow();
  });
  window.addEventListener("focus", reconnectNow);
  connect();
  return { reconnectNow };
}
