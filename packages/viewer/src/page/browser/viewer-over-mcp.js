// Calls to the viewer through a chat client that shows this page as an MCP App: JSON-RPC 2.0 over postMessage, no HTTP.
import { ViewerFault } from "./faults.js";

const CLIENT_ANSWERS_WITHIN_MS = 90_000;
const NO_SUCH_METHOD = { code: -32601, message: "Method not found" };

// `onRequest(method, params)`: returns the result, or undefined for an unknown method.
export function createJsonRpc({ peer, listen, onNotification, onRequest, answerWithinMs = CLIENT_ANSWERS_WITHIN_MS }) {
  const waiting = new Map();
  let lastId = 0;
  // To any origin: the client's is not known in advance, and nothing sent is secret from it.
  const post = (message) => peer.postMessage({ jsonrpc: "2.0", ...message }, "*");

  listen(({ source, data }) => {
    if (source !== peer || data?.jsonrpc !== "2.0") return;
    if (typeof data.method === "string") receiveMessage(data);
    else waiting.get(data.id)?.(data);
  });

  function receiveMessage({ id, method, params = {} }) {
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

// The text of a failed tool call is the problem's code, then its message.
export function pasteOf({ isError, structuredContent, content = [] }) {
  if (!isError && typeof structuredContent?.id === "string") return structuredContent;
  const [, code = "refused", detail = ""] = /^(?:([a-z-]+): )?([\s\S]*)$/.exec(textOf(content));
  throw new ViewerFault(code, { detail });
}

export function createViewerOverMcp({ title, peer, listen, wait, onTheme, onTitle }) {
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
  // The first upload reports a failure.
  started.catch(() => {});

  // Tells the model where the files are; it need not react.
  function tellModel({ optimized, original }) {
    if (capabilities.updateModelContext === undefined) return;
    const text = `A screenshot was pasted: ${optimized.path} (${optimized.width} × ${optimized.height}), original ${original.path}`;
    rpc.call("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
  }

  return {
    can: { rename: false, undo: false, list: false, pictures: false },
    // Chat clients only let a page show images from data: addresses.
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
    // The name comes later, and there are no events here, so this asks again and again.
    async named(paste) {
      for (let times = 0; times < ASK_FOR_NAME_TIMES; times += 1) {
        await wait(ASK_FOR_NAME_EVERY_MS);
        const latest = pasteOf(await callTool("av_screenshot_latest", {}));
        // Only the newest can be asked for, and another one was pasted.
        if (latest.id !== paste.id) break;
        if (!latest.isNamed) continue;
        const { name, namedBy, suggestions, optimized, original } = latest;
        const named = { ...paste, name, namedBy, suggestions, optimized, original, status: "named" };
        tellModel(named);
        return named;
      }
      return { ...paste, status: "named" };
    },
    // Nothing may be sent before the client has answered the first call.
    tellSize: (size) => void started.then(() => rpc.notify("ui/notifications/size-changed", size)).catch(() => {}),
  };
}
