/** The messages of a server: the contract's, or nchan's channels with the same message as content. */
export type DialectName = "contract" | "nchan";

export type Dialect = {
  subscribePath(state: string): string;
  /** Absent where subscribing is enough. */
  register?: (state: string) => string;
  unregister?: (state: string) => string;
  /** A whole HTTP request. */
  callback(state: string, code: string, host: string): string;
};

/** The headers of a browser that affect the answer. */
const BROWSER = "Accept: text/html";

const contract: Dialect = {
  subscribePath: () => "/",
  register: (state) => `{"type":"register","state":"${state}","provider":"google"}`,
  unregister: (state) => `{"type":"unregister","state":"${state}"}`,
  callback: (state, code, host) =>
    `GET /callback?code=${encodeURIComponent(code)}&state=${state} HTTP/1.1\r\nHost: ${host}\r\n${BROWSER}\r\n\r\n`,
};

const nchan: Dialect = {
  subscribePath: (state) => `/subscribe?state=${state}`,
  callback(state, code, host) {
    const body = JSON.stringify({ type: "callback", state, code, query: { code, state } });
    const head = `POST /publish?state=${state} HTTP/1.1\r\nHost: ${host}\r\n${BROWSER}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  },
};

export const dialects: Readonly<Record<DialectName, Dialect>> = { contract, nchan };
