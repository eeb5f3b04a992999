import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type TokenCall = {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
  form: Record<string, string>;
  fields: string[];
};

export type TokenEndpoint = AsyncDisposable & { url: string; calls: TokenCall[] };

/** A provider's token URL on a real port, with scripted answers. */
export async function startTokenEndpoint(
  answer: (call: TokenCall, response: ServerResponse) => void,
): Promise<TokenEndpoint> {
  const calls: TokenCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const form = new URLSearchParams(body);
    const { method = "", headers } = request;
    const call = { method, headers, body, form: Object.fromEntries(form), fields: [...form.keys()] };
    calls.push(call);
    answer(call, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/token`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/**
 * A provider that rotates refresh tokens: each works once. Reusing one revokes all of them, as
 * RFC 9700 section 4.14.2 advises.
 */
export function rotating(first: string, expiresInS = 3_600) {
  let current = first;
  let count = 0;
  return ({ form }: TokenCall, response: ServerResponse): void => {
    if (form.grant_type !== "refresh_token" || form.refresh_token !== current) {
      current = "";
      answerJson(response, 400, { error: "invalid_grant" });
      return;
    }
    count += 1;
    current = `${first}-${count}`;
    const access_token = `access-${count}`;
    answerJson(response, 200, { access_token, token_type: "Bearer", expires_in: expiresInS, refresh_token: current });
  };
}
