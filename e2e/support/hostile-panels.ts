import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isLongRun } from "../../scripts/testing/long.ts";

/** An outside server that sandboxed code must not reach: it records every request, connection and packet. */
export async function startListener() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.setHeader("access-control-allow-origin", "*").end("heard");
  });
  server.on("connection", () => heard.push("connection"));
  server.on("upgrade", (request, socket) => {
    heard.push(`socket ${request.url}`);
    socket.destroy();
  });
  const packets = createSocket("udp4").on("message", () => heard.push("packet"));
  server.listen(0, "127.0.0.1");
  packets.bind(0, "127.0.0.1");
  await Promise.all([once(server, "listening"), once(packets, "listening")]);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    packetPort: packets.address().port,
    heard,
    async [Symbol.asyncDispose]() {
      packets.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
export type Listener = Awaited<ReturnType<typeof startListener>>;

/** `outcome` matches the result as text, or `refused` and the error's name. */
export type Attempt = readonly [what: string, code: string, outcome: RegExp];

/** Evaluates to the expression's result as text, or to `refused` and the name of its error. */
export const attemptCode = (code: string): string =>
  `(async () => { try { return String(await (${code})) } catch (error) { return "refused " + error?.name } })()`;

const REFUSED = /^refused (SecurityError|NotAllowedError|TypeError|InvalidStateError)$/;
const NOTHING = /^(undefined|null|false|)$/;
const DENIED = /^(denied|false|null|undefined|refused \w*Error|error .*)$/;

export const REACHING_OUT: readonly Attempt[] = [
  ["the document of the page around it", "parent.document", REFUSED],
  ["the document of the whole page", "top.document.cookie", REFUSED],
  ["the address of the page", "top.location.href", REFUSED],
  ["the storage of the page", "top.localStorage", REFUSED],
  ["its own element in the page", "window.frameElement", /^null$/],
  ["a function of the page", "top.fetch('/auth/me')", REFUSED],
  ["its siblings", "top.frames[0].document", REFUSED],
  ["the origin of the app, by its domain", "document.domain = 'localhost'", REFUSED],
  ["who opened it", "opener ?? top.opener", NOTHING],
  ["the page's address as a referrer", "document.referrer", NOTHING],
  ["the port between it and the page, by the event under way", "window.event?.target", NOTHING],
];

/** Run without a wrapper: functions that try to find out who called them. */
export const CALLER_PROBES: readonly (readonly [what: string, code: string, outcome: string])[] = [
  ["who runs the code", "(function self() { return String(self.caller) })()", "null"],
  ["who reads its result", "({ toJSON: function self() { return String(self.caller) } })", "null"],
  [
    "who is on the stack",
    "Error.prepareStackTrace = (_, stack) => stack.map((at) => typeof at.getFunction()); [...new Set(new Error().stack)].join()",
    "undefined",
  ],
];

/** Built-ins that code may overwrite; the frame must keep working. */
export const OVERWRITING: readonly string[] = [
  "Promise.prototype.then = () => { throw new Error('then') }",
  "Promise.resolve = Promise.all = () => { throw new Error('resolve') }; Promise = class {}",
  "JSON.stringify = () => '\"forged\"'; JSON.parse = () => ({ type: 'forged' }); JSON = {}",
  "MessagePort.prototype.postMessage = () => {}; MessagePort.prototype.close = () => {}",
  "Object.defineProperty(MessageEvent.prototype, 'data', { get: () => ({ type: 'eval', id: 1, code: '\"forged\"' }) })",
  "Object.defineProperty(Event.prototype, 'target', { get: () => null })",
  "EventTarget.prototype.addEventListener = EventTarget.prototype.dispatchEvent = () => {}",
  "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error('call') }",
  "Reflect.apply = Reflect.get = Object.keys = Object.entries = Array.isArray = () => { throw new Error('reflect') }",
  "Array.prototype[Symbol.iterator] = function* () { yield new ArrayBuffer(1) }",
  "Array.prototype[Symbol.iterator] = () => { throw new Error('iterator') }",
  "Array.prototype.push = Array.prototype.map = Array.prototype.join = () => { throw new Error('array') }",
  "for (const name of ['id', 'type', 'json', 'text', 'names', 'value', 'get', '0', 'then', 'toJSON']) Object.defineProperty(Object.prototype, name, { set() { throw new Error('set') }, get: () => undefined, configurable: true })",
  "Object.prototype.__defineGetter__.call(Object.prototype, 'toString', () => { throw new Error('toString') })",
  "performance.now = () => { throw new Error('now') }; window.setTimeout = window.clearTimeout = () => { throw new Error('timer') }",
  "String.prototype.slice = String.prototype.indexOf = RegExp.prototype.exec = () => { throw new Error('text') }",
  "window.eval = () => 'forged'; window.parent = window.top = null; globalThis.console = null",
];

/** Of each kind: more than there are calls before, so that some have the id of a pending one. */
const FORGED = isLongRun ? 300 : 100;

/** Forged messages from a frame to the page. */
export const FORGED_MESSAGES: readonly string[] = [
  "{ type: 'sandbox-gone' }",
  "{ type: 'sandbox-loaded' }",
  "{ type: 'sandbox-port' }",
  "{ type: 'ready' }",
  "{ type: 'pong', id: 1 }",
  `...Array.from({ length: ${FORGED} }, (_, id) => ({ type: 'executed', id, json: '"forged"', text: 'forged', durationMs: 0 }))`,
  `...Array.from({ length: ${FORGED} }, (_, id) => ({ type: 'failed', id, error: 'forged', durationMs: 0 }))`,
  "{ type: 'log', id: null, level: 'error', text: { toString: 1 } }",
  "{ backplane: 'webview', event: 'page', url: 'https://forged.example/', title: 'forged' }",
  "{ backplane: 'webview', event: 'failed', title: 'forged', detail: 'forged' }",
  'JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')',
  "null",
  "undefined",
  "''",
  "'x'.repeat(1_000_000)",
  "new Error('forged')",
  "new Map([[1, new Set()]])",
];

/** Results that must be cut to their limit. */
export const TOO_MUCH: readonly (readonly [what: string, code: string])[] = [
  ["a long text", "'x'.repeat(20_000_000)"],
  ["a long list", "Array.from({ length: 1_000_000 }, (_, n) => n)"],
  ["many fields", "Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => ['k' + n, n]))"],
  ["great depth", "((deep) => { for (let n = 0; n < 100_000; n += 1) deep = [deep]; return deep })([])"],
  [
    "an object that grows as it is read",
    "new Proxy({}, { ownKeys: () => Array.from({ length: 5_000 }, (_, n) => 'k' + n), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 'x'.repeat(1_000) }), get: () => 'x'.repeat(1_000) })",
  ],
  ["wide characters", "'\\u{10FFFF}'.repeat(300_000)"],
  ["a long error", "throw new Error('x'.repeat(20_000_000))"],
  ["an error with a long name", "throw Object.assign(new Error('x'), { name: 'x'.repeat(20_000_000) })"],
  ["a thrown value that is not an error", "throw Array.from({ length: 1_000_000 }, (_, n) => n)"],
  ["many lines", "for (let n = 0; n < 100_000; n += 1) console.log('line', n)"],
  ["long lines", "for (let n = 0; n < 50; n += 1) console.log('x'.repeat(1_000_000))"],
];

export const STORING: readonly Attempt[] = [
  ["local storage", "localStorage.x = 1", REFUSED],
  ["session storage", "sessionStorage.x = 1", REFUSED],
  ["a database", "indexedDB.open('x')", REFUSED],
  ["a cache", "caches.open('x')", REFUSED],
  ["a cookie", "document.cookie = 'x=1'", REFUSED],
  ["a cookie, by the store", "cookieStore.set('x', '1')", REFUSED],
  ["a file", "navigator.storage.getDirectory()", REFUSED],
  ["a service worker", "navigator.serviceWorker.register('/run')", REFUSED],
  ["a shared worker", "new SharedWorker('data:text/javascript,1')", REFUSED],
  ["a lock", "navigator.locks.request('x', () => 1)", REFUSED],
  ["storage access", "document.requestStorageAccess()", REFUSED],
];

export const ASKING_PEOPLE: readonly Attempt[] = [
  ["a message box", "alert(1)", NOTHING],
  ["a question", "confirm(1) || prompt(1)", NOTHING],
  ["the printer", "print()", NOTHING],
  ["the place", "new Promise((done) => navigator.geolocation.getCurrentPosition(done, () => done('denied')))", DENIED],
  ["the camera", "navigator.mediaDevices.getUserMedia({ video: true })", DENIED],
  ["the screen", "navigator.mediaDevices.getDisplayMedia({ video: true })", DENIED],
  ["the clipboard", "navigator.clipboard.readText()", DENIED],
  ["to write to the clipboard", "navigator.clipboard.writeText('x')", DENIED],
  ["to copy", "document.execCommand('copy')", DENIED],
  ["the whole screen", "document.documentElement.requestFullscreen()", DENIED],
  ["the pointer", "document.body.requestPointerLock()", DENIED],
  ["to notify", "Notification.requestPermission()", DENIED],
  ["a device", "navigator.usb?.requestDevice({ filters: [] })", DENIED],
  ["a payment", "new PaymentRequest([{ supportedMethods: 'https://example.org' }], {}).show()", DENIED],
  ["a file to open", "window.showOpenFilePicker?.()", DENIED],
];

/** Ways to reach the network. The listener must not hear any of them. */
export const networkAttempts = (to: string): readonly Attempt[] => {
  const loaded = (element: string, more: string) =>
    `new Promise((done) => { const it = Object.assign(document.createElement("${element}"), ${more});
      it.onload = () => done("loaded"); it.onerror = () => done("error"); document.body.append(it); setTimeout(done, 150, "error") })`;
  const worker = (code: string) =>
    `new Promise((done) => { const it = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])));
      it.onmessage = ({ data }) => done(data); it.onerror = () => done("error") })`;
  const FAILED = /^(refused \w*Error|error.*|false)$/;
  return [
    ["fetch", `fetch("${to}/fetch")`, FAILED],
    ["fetch without CORS", `fetch("${to}/no-cors", { mode: "no-cors" })`, FAILED],
    ["a keepalive fetch", `fetch("${to}/keepalive", { keepalive: true, method: "POST", body: "x" })`, FAILED],
    [
      "XMLHttpRequest",
      `new Promise((done) => { const it = new XMLHttpRequest(); it.open("GET", "${to}/xhr"); it.onload = () => done("loaded"); it.onerror = () => done("error"); it.send() })`,
      FAILED,
    ],
    [
      "a socket",
      `new Promise((done) => { const it = new WebSocket("${to.replace("http", "ws")}/socket"); it.onopen = () => done("open"); it.onerror = () => done("error") })`,
      FAILED,
    ],
    [
      "events",
      `new Promise((done) => { const it = new EventSource("${to}/events"); it.onopen = () => done("open"); it.onerror = () => { it.close(); done("error") } })`,
      FAILED,
    ],
    ["a beacon", `navigator.sendBeacon("${to}/beacon", "x") && "error: taken, not sent"`, FAILED],
    ["WebTransport", `new WebTransport("${to.replace("http", "https")}/transport").ready`, FAILED],
    ["a picture", loaded("img", `{ src: "${to}/img" }`), FAILED],
    ["a film", loaded("video", `{ src: "${to}/video", preload: "auto" }`), FAILED],
    ["a script", loaded("script", `{ src: "${to}/script" }`), FAILED],
    ["a module", `import("${to}/module")`, FAILED],
    ["a style sheet", loaded("link", `{ rel: "stylesheet", href: "${to}/css" }`), FAILED],
    ["a CSS image", loaded("div", `{ style: "width:9px;height:9px;background:url(${to}/background)" }`), FAILED],
    ["a font", `new FontFace("x", "url(${to}/font)").load()`, FAILED],
    ["an object", loaded("object", `{ data: "${to}/object" }`), FAILED],
    ["an embed", loaded("embed", `{ src: "${to}/embed" }`), FAILED],
    ["prefetch", loaded("link", `{ rel: "prefetch", href: "${to}/prefetch" }`), FAILED],
    ["preload", loaded("link", `{ rel: "preload", as: "image", href: "${to}/preload" }`), FAILED],
    ["preconnect", loaded("link", `{ rel: "preconnect", href: "${to}" }`), FAILED],
    ["a lookup", loaded("link", `{ rel: "dns-prefetch", href: "${to}" }`), FAILED],
    [
      "speculation",
      loaded(
        "script",
        `{ type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ urls: ["${to}/spec"], eagerness: "immediate" }] }) }`,
      ),
      FAILED,
    ],
    [
      "a worker's fetch",
      worker(`fetch("${to}/worker").then(() => postMessage("ok"), () => postMessage("error"))`),
      FAILED,
    ],
    [
      "a worker's script",
      worker(`try { importScripts("${to}/imported") ; postMessage("ok") } catch { postMessage("error") }`),
      FAILED,
    ],
    ["a frame", loaded("iframe", `{ src: "${to}/frame" }`), /^(error|loaded)$/],
    [
      "a frame in a blob",
      loaded("iframe", `{ src: URL.createObjectURL(new Blob(["<img src=${to}/in-blob>"], { type: "text/html" })) }`),
      /^(error|loaded)$/,
    ],
    ["a frame in data", loaded("iframe", `{ src: "data:text/html,<img src=${to}/in-data>" }`), /^(error|loaded)$/],
    [
      "a frame within",
      loaded(
        "iframe",
        `{ srcdoc: "<img src=${to}/in-srcdoc><script>fetch('${to}/srcdoc').catch(() => {})<\\/script>" }`,
      ),
      /^(error|loaded)$/,
    ],
    ["WebRTC", "new RTCPeerConnection()", FAILED],
    ["a popup", `window.open("${to}/popup")`, NOTHING],
    [
      "a popup by a link",
      `Object.assign(document.createElement("a"), { href: "${to}/blank", target: "_blank" }).click()`,
      NOTHING,
    ],
    ["the whole page", `top.location = "${to}/top"`, REFUSED],
    ["the whole page, replaced", `top.location.replace("${to}/replaced")`, REFUSED],
    ["the frame around", `parent.location.replace("${to}/parent")`, REFUSED],
    [
      "the whole page by a link",
      `Object.assign(document.createElement("a"), { href: "${to}/a", target: "_top" }).click()`,
      NOTHING,
    ],
    [
      "a form",
      `(() => { const form = Object.assign(document.createElement("form"), { action: "${to}/form", method: "post" }); document.body.append(form); form.submit() })()`,
      NOTHING,
    ],
    [
      "a form that targets the whole page",
      `(() => { const form = Object.assign(document.createElement("form"), { action: "${to}/form-top", target: "_top" }); document.body.append(form); form.submit() })()`,
      NOTHING,
    ],
    [
      "a download",
      `Object.assign(document.createElement("a"), { href: "data:application/octet-stream,x", download: "x" }).click()`,
      NOTHING,
    ],
    ["history", "history.back() ?? history.go(-2)", NOTHING],
    ["closing the page", "top.close() ?? window.close()", NOTHING],
  ];
};

/** WebRTC from a nested frame, whose window still has every API: it asks a STUN server for its address. */
export const webRtcAttempt = (packetPort: number): string => {
  const code = `const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${packetPort}" }] });
    peer.createDataChannel("x"); peer.onicegatheringstatechange = () => parent.postMessage(peer.iceGatheringState, "*");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer)).catch(() => {})`;
  return `await new Promise((done) => {
    addEventListener("message", ({ data }) => data === "complete" && done(data)); setTimeout(done, 1_000, "nothing");
    document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: ${JSON.stringify(`<script>${code}</script>`).replaceAll("</", "<\\/")} })) })`;
};

/** Ways to navigate away: the sandbox reports that its code is gone, and nothing else is reached. */
export const navigationAttempts = (to: string): readonly (readonly [what: string, code: string])[] => [
  ["location", `location.href = "${to}/location"`],
  [
    "a refresh",
    `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0;url=${to}/refresh">')`,
  ],
  ["data", `location.href = "data:text/html,<script>top.location='${to}/data'<\\/script>"`],
  [
    "a blob",
    `location.href = URL.createObjectURL(new Blob(["<script>top.location='${to}/blob'<\\/script>"], { type: "text/html" }))`,
  ],
  ["nothing", `location.href = "about:blank"`],
  ["itself, again", `location.href = "/run?again"`],
];
