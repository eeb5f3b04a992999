import { once } from "node:events";
import { type IncomingHttpHeaders, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { PAGE_PATH } from "@backplane/contract/viewer";

export type RawAnswer = { status: number; code: string | undefined; headers: IncomingHttpHeaders; text: string };
export type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: Uint8Array | string };

const PIECE = Buffer.alloc(64 * 1024, 1);

/** A request with arbitrary headers: `fetch` does not allow setting Host and Origin. */
export async function ask(port: number, { method = "GET", path = PAGE_PATH, headers = {}, body }: Asked) {
  const request = send({ port, host: "127.0.0.1", agent: false, method, path, headers });
  request.end(body);
  return answerOf(request);
}

/** Sends a body of this many bytes until the server answers. Keeps the connection alive, like browsers do. */
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
  // If the connection is cut after the response has arrived, the response counts.
  request.on("error", reject);
  request.on("response", async (response) => {
    const pieces = await Array.fromAsync(response).catch(() => []);
    const text = Buffer.concat(pieces).toString();
    resolve({ status: response.statusCode ?? 0, code: codeIn(text), headers: response.headers, text });
  });
  return promise;
}

/** Sends bytes on a raw connection and leaves it open. */
export async function openSocket(port: number, first: string | Uint8Array): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  socket.write(first);
  return socket;
}

/** Reads until the server closes the connection or `isEnough`. */
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
