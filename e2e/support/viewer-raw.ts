import { once } from "node:events";
import { type IncomingHttpHeaders, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { PAGE_PATH } from "@backplane/contract/viewer";

export type RawAnswer = { status: number; code: string | undefined; headers: IncomingHttpHeaders; text: string };
export type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: Uint8Array | string };

const PIECE = Buffer.alloc(64 * 1024, 1);

/** As a client that says what it likes: `fetch` does not let Host and Origin be chosen. */
export async function ask(port: number, { method = "GET", path = PAGE_PATH, headers = {}, body }: Asked) {
  const request = send({ port, host: "127.0.0.1", agent: false, method, path, headers });
  request.end(body);
  return answerOf(request);
}

/** A body of so many bytes, sent for as long as the other end takes them. As browsers do, it would use the connection again. */
export async function askWithBytes(port: number, given: Record<string, string>, bytes: number): Promise<RawAnswer> {
  const headers = { connection: "keep-alive", ...given };
  const request = send({ port, host: "127.0.0.1", agent: false, method: "POST", path: PAGE_PATH, headers });
  const answered = answerOf(request);
  let isAnswered = false;
  const over = answered.then(
    () => {
      isAnswered = true;
    },
    () => {
      isAnswered = true;
    },
  );
  for (let sent = 0; sent < bytes && !isAnswered; sent += PIECE.length) {
    const drained = Promise.withResolvers<void>();
    if (!request.write(PIECE, () => drained.resolve())) await Promise.race([drained.promise, over]);
  }
  request.end();
  return answered.finally(() => request.destroy());
}

function answerOf(request: ReturnType<typeof send>): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  // Cut off while it sends, after the answer has come: the answer counts.
  request.on("error", reject);
  request.on("response", async (response) => {
    const pieces = await Array.fromAsync(response).catch(() => []);
    const text = Buffer.concat(pieces).toString();
    resolve({ status: response.statusCode ?? 0, code: codeIn(text), headers: response.headers, text });
  });
  return promise;
}

/** Bytes on a bare connection, which stays open. */
export async function openSocket(port: number, first: string | Uint8Array): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  socket.write(first);
  return socket;
}

/** All that comes back until the other end closes, or has said enough. */
export async function readSocket(socket: Socket, isEnough = (text: string) => codeIn(text) !== undefined) {
  let text = "";
  for await (const piece of socket) {
    text += String(piece);
    if (isEnough(text)) break;
  }
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), code: codeIn(text), text };
}

const codeIn = (text: string): string | undefined => /"code":"([a-z-]+)"/.exec(text)?.[1];
