// Server-sent events, read with fetch: an EventSource sends no header, and a token has no place in an address.
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;
// The viewer says something every 15 s.
const SILENCE_MS = 45_000;
const MAX_UNREAD_CHARACTERS = 1_000_000;

export const delayAfter = (failures) => Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));

// A wait that can be cut short. The first one cannot: a stream that ends as soon as it opens is not opened in a circle.
export function createPatience(wait) {
  let hurried;
  return {
    hurry: () => hurried?.abort(),
    wait(ms, signal) {
      hurried = new AbortController();
      return wait(ms, ms > FIRST_DELAY_MS ? AbortSignal.any([signal, hurried.signal]) : signal);
    },
  };
}

// Feed it text as it comes; it tells of each event that is whole.
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
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
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

// `open(signal)` answers with a fetch response, or throws. Ends when the signal aborts.
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
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  heard();
  try {
    const { body } = await open(AbortSignal.any([signal, silence.signal]));
    onOpen();
    const read = createEventReader(onEvent);
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard();
      read(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("The stream has ended.");
}
