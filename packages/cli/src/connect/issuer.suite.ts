import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Issuer = AsyncDisposable & { url: string; paths: string[] };

/** An issuer with scripted metadata; `answer` may also write an invalid response. */
export async function startIssuer(answer: (url: string, response: ServerResponse) => unknown): Promise<Issuer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(String(request.url));
    const body = answer(url, response);
    if (body !== undefined) response.end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const describe = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  scopes_supported: ["openid", "offline_access", "email"],
  authorization_response_iss_parameter_supported: true,
});
