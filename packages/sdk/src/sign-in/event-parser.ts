export type ServerEvent = { name: string; data: string };

export type Parsed = {
  events: ServerEvent[];
  /** The last `retry` of the server. */
  retryMs: number | undefined;
};

export type ParserLimits = { maxLineLength: number; maxEventLength: number };

/** Reads an event stream (HTML standard, 9.2.6) in chunks of any size. Undefined if a line or an event is too large. */
export function createEventParser({ maxLineLength, maxEventLength }: ParserLimits) {
  let rest = "";
  let isStart = true;
  let endedWithCr = false;
  let name = "";
  let data: string[] = [];
  let size = 0;

  function takeLine(line: string, parsed: Parsed): boolean {
    if (line === "") {
      if (data.length > 0) parsed.events.push({ name: name === "" ? "message" : name, data: data.join("\n") });
      name = "";
      data = [];
      size = 0;
      return true;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    if (field === "retry" && /^\d{1,9}$/.test(value)) parsed.retryMs = Number(value);
    if (field === "data") {
      size += value.length + 1;
      data.push(value);
    }
    return size <= maxEventLength;
  }

  return (text: string): Parsed | undefined => {
    const parsed: Parsed = { events: [], retryMs: undefined };
    let fresh = text;
    if (isStart && fresh !== "") {
      isStart = false;
      fresh = fresh.replace(/^\uFEFF/, "");
    }
    // The second half of a CRLF that two chunks split.
    if (endedWithCr && fresh.startsWith("\n")) fresh = fresh.slice(1);
    if (text !== "") endedWithCr = text.endsWith("\r");
    const lines = (rest + fresh).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? "";
    if (rest.length > maxLineLength) return undefined;
    const isFine = lines.every((line) => line.length <= maxLineLength && takeLine(line, parsed));
    return isFine ? parsed : undefined;
  };
}
