import { Agent, request } from "node:http";
import { BenchFault } from "../harness/fault.ts";

export type Calls = Disposable & { call(): Promise<void> };

/** One connection, one call after the other, as bytes: a client library would cost more per call than the server. */
export function callTool(url: string, name: string, args: object): Calls {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const params = { name, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    "content-length": Buffer.byteLength(body),
  };
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const asked = request(`${url}/mcp`, { method: "POST", agent, headers }, (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("error", reject);
          response.on("end", () => {
            if (response.statusCode === 200 && text.includes('"result"') && !text.includes('"isError":true')) resolve();
            else reject(new BenchFault(`${name} was answered ${response.statusCode} ${text.slice(0, 300)}.`));
          });
        });
        asked.on("error", reject);
        asked.end(body);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
