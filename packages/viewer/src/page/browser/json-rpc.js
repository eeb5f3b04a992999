// JSON-RPC 2.0 over postMessage, as MCP Apps speak it with the program that shows them.
import { ViewerFault } from "./faults.js";

const HOST_ANSWERS_WITHIN_MS = 90_000;
const NO_SUCH_METHOD = { code: -32601, message: "There is no such method" };

// `onRequest(method, params)`: what to answer with, undefined when there is no such method.
export function createJsonRpc({ peer, listen, onNotification, onRequest, answerWithinMs = HOST_ANSWERS_WITHIN_MS }) {
  const waiting = new Map();
  let lastId = 0;
  // The origin of the program is not known beforehand; nothing that is sent is secret from it.
  const post = (message) => peer.postMessage({ jsonrpc: "2.0", ...message }, "*");

  listen(({ source, data }) => {
    if (source !== peer || data?.jsonrpc !== "2.0") return;
    if (typeof data.method === "string") hear(data);
    else waiting.get(data.id)?.(data);
  });

  function hear({ id, method, params = {} }) {
    if (id === undefined) return onNotification(method, params);
    const result = onRequest(method, params);
    post(result === undefined ? { id, error: NO_SUCH_METHOD } : { id, result });
  }

  return {
    notify: (method, params = {}) => post({ method, params }),
    call: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const timer = setTimeout(() => settle({ error: {} }, "host-silent"), answerWithinMs);
        const settle = ({ result, error }, code = "refused") => {
          clearTimeout(timer);
          waiting.delete(id);
          if (error === undefined) resolve(result);
          else reject(new ViewerFault(code, { detail: error.message }));
        };
        waiting.set(id, settle);
        post({ id, method, params });
      }),
  };
}
