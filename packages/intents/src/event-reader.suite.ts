import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export type SentEvent = { event: string; data: string };

/** A program that waits on a stream. Events are kept until the test reads them. */
export class EventReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #response: IncomingMessage;
  #text = "";

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const call = request(url, { headers: { accept: "text/event-stream", ...headers }, agent: false }).end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const reader = new EventReader(response);
    response.setEncoding("utf8").on("data", (chunk: string) => {
      reader.#text += chunk;
    });
    response.on("error", () => {});
    return reader;
  }

  /** Everything that the stream sent until it ended. */
  async ended(): Promise<string> {
    if (!this.#response.readableEnded) await once(this.#response, "end");
    return this.#text;
  }

  /** The one event that ended the stream. */
  async last(): Promise<SentEvent> {
    const events = eventsIn(await this.ended());
    assert.equal(events.length, 1, "one event, then the end");
    return events[0] as SentEvent;
  }

  async until(wanted: string): Promise<void> {
    while (!this.#text.includes(wanted)) await once(this.#response, "data");
  }

  leave(): void {
    this.#response.destroy();
  }
}

function eventsIn(text: string): SentEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("event:"))
    .map((block) => {
      const field = (name: string) =>
        block
          .split("\n")
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trim())
          .join("\n");
      assert.ok(/^data:/m.test(block), "an event without a data line is dropped by EventSource");
      return { event: field("event"), data: field("data") };
    });
}
