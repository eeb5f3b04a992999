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

// The viewer through a chat program that shows this page as an MCP App: no HTTP, only the tools of the server.

const PROTOCOL_VERSION = "2026-01-26";
const ASK_FOR_NAME_EVERY_MS = 1_500;
const ASK_FOR_NAME_TIMES = 20;

const toDataAddress = (blob) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new ViewerFault("file-unreadable"));
    reader.readAsDataURL(blob);
  });

const textOf = (content) => content.find(({ type }) => type === "text")?.text ?? "";

// A tool that failed says its code, then why.
export function pasteOf({ isError, structuredContent, content = [] }) {
  if (!isError && typeof structuredContent?.id === "string") return structuredContent;
  const [, code = "refused", detail = ""] = /^(?:([a-z-]+): )?([\s\S]*)$/.exec(textOf(content));
  throw new ViewerFault(code, { detail });
}

export function createAppHost({ title, peer, listen, wait, onTheme, onTitle }) {
  let titleNow = title;
  let capabilities = {};
  const applyContext = ({ theme } = {}) => {
    if (theme === "light" || theme === "dark") onTheme(theme);
  };
  const rpc = createJsonRpc({
    peer,
    listen,
    onRequest: (method) => (method === "ping" || method === "ui/resource-teardown" ? {} : undefined),
    onNotification(method, params) {
      if (method === "ui/notifications/host-context-changed") applyContext(params);
      if (method === "ui/notifications/tool-input" && typeof params.arguments?.title === "string") {
        titleNow = params.arguments.title;
        onTitle(titleNow);
      }
    },
  });
  const callTool = (name, args) => rpc.call("tools/call", { name, arguments: args });

  const started = rpc
    .call("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: "screenshot-paste", title: "Screenshot paste", version: "1" },
      appCapabilities: {},
    })
    .then(({ hostCapabilities = {}, hostContext }) => {
      capabilities = hostCapabilities;
      applyContext(hostContext);
      rpc.notify("ui/notifications/initialized");
    });
  // Whoever uploads hears of it; until then there is nothing to say.
  started.catch(() => {});

  // The model learns where the files are without being asked; it may have another thing to do.
  function tellModel({ optimized, original }) {
    if (capabilities.updateModelContext === undefined) return;
    const text = `A screenshot was pasted: ${optimized.path} (${optimized.width} × ${optimized.height}), original ${original.path}`;
    rpc.call("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
  }

  return {
    can: { rename: false, undo: false, list: false, pictures: false },
    // Chat programs let a page show no pictures but those in data: addresses.
    preview: (image) => toDataAddress(image).catch(() => undefined),
    async upload(image, onSent) {
      await started;
      const address = await toDataAddress(image);
      onSent(image.size);
      const paste = pasteOf(
        await callTool("av_screenshot_upload", {
          image: address.slice(address.indexOf(",") + 1),
          ...(titleNow ? { title: titleNow } : {}),
        }),
      );
      tellModel(paste);
      return paste;
    },
    // The name comes later, and nobody tells a page in a chat of it.
    async named(paste) {
      for (let times = 0; times < ASK_FOR_NAME_TIMES; times += 1) {
        await wait(ASK_FOR_NAME_EVERY_MS);
        const latest = pasteOf(await callTool("av_screenshot_latest", {}));
        // Another one was pasted, and this one will not be told of again.
        if (latest.id !== paste.id) break;
        if (!latest.isNamed) continue;
        const { name, namedBy, suggestions, optimized, original } = latest;
        const named = { ...paste, name, namedBy, suggestions, optimized, original, status: "named" };
        tellModel(named);
        return named;
      }
      return { ...paste, status: "named" };
    },
    // Nothing is said before the program has answered.
    tellSize: (size) => void started.then(() => rpc.notify("ui/notifications/size-changed", size)).catch(() => {}),
  };
}
