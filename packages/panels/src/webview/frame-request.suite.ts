import { request as httpRequest, type IncomingHttpHeaders } from "node:http";

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer };
export type FrameRequest = { method: string; headers: Record<string, string>; body: string | Buffer; isPage: boolean };

const PAGE_HEADERS = { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate", accept: "text/html,*/*" };

/** A request to a host of a frame, as a browser sends it. */
export function ask(port: number, host: string, path: string, more: Partial<FrameRequest> = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, isPage = true } = more;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        headers: { host, ...(isPage ? PAGE_HEADERS : {}), ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
