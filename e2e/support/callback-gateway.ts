import { createServer, type IncomingMessage } from "node:http";
import { createCallbackPages } from "../../packages/gateway/src/gateway/callback/pages.ts";

export const AT_MS = Date.UTC(2026, 2, 4, 14, 31, 9);
const STATE = "11111111-1111-4111-8111-111111111111";
export const QUERY = `code=code-4711&state=${STATE}&scope=a+b%26c`;

const pages = createCallbackPages({ homeUrl: "http://localhost:8790", overHttps: false });

// Maximum length, no break opportunities, and characters that reverse text or close tags.
export const provider = `\u202e${"Wm".repeat(49)}<`;
export const description = `${"</dd><b>\u202e\n".repeat(4)}${"x".repeat(600)}`;

export const OUTCOMES: Record<string, string> = {
  delivered: pages.delivered({ provider, atMs: AT_MS, tookMs: 38 }).text,
  declined: pages.declined({ provider, error: "access_denied", description }),
  refused: pages.refused({ provider, error: "e".repeat(200), description }),
  unknown: pages.unknown(),
  used: pages.used(),
  expired: pages.expired(),
  malformed: pages.malformed({ faults: [{ pointer: "/state", message: `state is ${"y".repeat(300)}` }] }),
  "wrong provider": pages.wrongProvider({ provider }),
  unconfirmed: pages.unconfirmed({ provider }),
};
export const PARAMETERS = { code: "code-4711", state: STATE, action: "/else", 'x"><b>': "'<&\u202eé", __proto_: "" };
export const PENDING: Record<string, string> = {
  waiting: pages.waiting(),
  "waiting (form)": pages.waiting({ parameters: PARAMETERS }),
  "not ready": pages.notReady(),
};

/** How the gateway answers a poll: a response, a dropped connection, or silence. */
export type Answer = { status: number; body: unknown } | "gone" | "silent";

export const NO_APP: Answer = { status: 404, body: { code: "state-unknown" } };

/** A gateway that answers every visit with one page, and every poll with the next answer; the last one repeats. */
export async function openGateway(page: string, { answers = [NO_APP], headers = pages.headers.list } = {}) {
  const asked: { body: string; accept: string | undefined; path: string | undefined }[] = [];
  const visits: string[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    if (request.url === "/favicon.ico") return response.writeHead(404).end();
    if (request.url === "/provider") {
      const inputs = Object.entries(PARAMETERS).map(([name, value]) => {
        const escaped = [name, value].map((text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
        return `<input name="${escaped[0]}" value="${escaped[1]}">`;
      });
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      return response.end(`<form method="post" action="/callback">${inputs.join("")}<button>Go</button></form>`);
    }
    if (request.headers.accept !== "application/json") {
      visits.push(`${request.method} ${request.url} ${await textOf(request)}`.trim());
      return response.writeHead(200, [...headers]).end(page);
    }
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? NO_APP;
    asked.push({ body: await textOf(request), accept: request.headers.accept, path: request.url });
    if (answer === "gone") return request.socket.destroy();
    if (answer === "silent") return;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  const origin = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
  return {
    origin,
    asked,
    visits,
    mostOpen: () => mostOpen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Without the errors that Chromium logs for every status of 400 or more. */
export const faultsIn = (complaints: readonly string[]): string[] =>
  complaints.filter((line) => !line.includes("Failed to load resource"));
