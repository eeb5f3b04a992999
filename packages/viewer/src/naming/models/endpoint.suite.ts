import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Asked = { path: string | undefined; headers: IncomingMessage["headers"]; body: unknown };
export type Endpoint = AsyncDisposable & { url: string; asked: Asked[] };

/** A real local server in place of a model's endpoint. */
export async function endpoint(answer: (response: ServerResponse, asked: Asked) => void): Promise<Endpoint> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = { path: request.url, headers: request.headers, body: JSON.parse(String(Buffer.concat(chunks))) };
    asked.push(question);
    answer(response, question);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const completion = (words: string): string => JSON.stringify({ choices: [{ message: { content: words } }] });
export const messageOf = (words: string): string => JSON.stringify({ content: [{ type: "text", text: words }] });
