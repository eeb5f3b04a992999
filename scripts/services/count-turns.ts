import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Answers are held for this long, so that all queries that do not wait for them are on their way. */
const HOLD_MS = 20;

export type TurnCounter = AsyncDisposable & {
  /** The address of the server, through the counter. */
  url: string;
  /** How often a client has waited for answers since the last call; queries at the same time count once. */
  turns(): number;
};

/** Counts round trips to a server: what a client sends after an answer is a new one. */
export async function countTurns(givenUrl: string): Promise<TurnCounter> {
  const url = new URL(givenUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const held: [to: Socket, bytes: Buffer][] = [];
  let turns = 0;
  let isWaiting = false;
  let timer: NodeJS.Timeout | undefined;

  function letGo(): void {
    timer = undefined;
    isWaiting = false;
    for (const [to, bytes] of held.splice(0)) to.write(bytes);
  }
  const server = createServer((client) => {
    const upstream = connect(target);
    client.on("data", (bytes) => {
      if (!isWaiting) turns += 1;
      isWaiting = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      held.push([client, bytes]);
      timer ??= setTimeout(letGo, HOLD_MS);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    turns() {
      const counted = turns;
      turns = 0;
      return counted;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      server.close();
      await once(server, "close");
    },
  };
}
