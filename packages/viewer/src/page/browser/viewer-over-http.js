// Calls to the viewer over HTTP. Addresses are relative, so that the page works under localhost and 127.0.0.1 alike.
import { faultOf, ViewerFault } from "./faults.js";

const PATH = "/screenshot-paste";
const UPLOAD_TIMEOUT_MS = 150_000;
const ANSWER_WITHIN_MS = 20_000;

const readJson = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

// `onAnswer`: called after each successful call.
export function createViewerOverHttp({ token, title, instance, onAnswer }) {
  const headers = { "x-viewer-token": token };

  async function ask(path, { signal = AbortSignal.timeout(ANSWER_WITHIN_MS), body, ...options } = {}) {
    const response = await fetch(PATH + path, {
      cache: "no-store",
      signal,
      ...options,
      headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new ViewerFault("unreachable");
    });
    if (!response.ok) throw faultOf(response.status, readJson(await response.text().catch(() => "")));
    onAnswer();
    return response;
  }
  const json = async (path, options) => (await ask(path, options)).json();

  function addressOf() {
    const query = new URLSearchParams();
    if (title) query.set("title", title);
    if (instance) query.set("instance", instance);
    return query.size > 0 ? `${PATH}?${query}` : PATH;
  }

  // Not by fetch, which does not report how much it has sent.
  const upload = (image, onSent) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", addressOf());
      request.timeout = UPLOAD_TIMEOUT_MS;
      request.setRequestHeader("x-viewer-token", token);
      request.setRequestHeader("content-type", image.type || "application/octet-stream");
      request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, image.size));
      request.upload.onload = () => onSent(image.size);
      request.onerror = () => reject(new ViewerFault("unreachable"));
      request.ontimeout = () => reject(new ViewerFault("request-timeout"));
      request.onload = () => {
        const body = readJson(request.responseText);
        if (request.status !== 201 || !body) return reject(faultOf(request.status, body));
        onAnswer();
        resolve(body);
      };
      request.send(image);
    });

  return {
    preview: (image) => URL.createObjectURL(image),
    can: { rename: true, undo: true, list: true, pictures: true },
    upload,
    list: ({ limit, before }) => json(`/list?${new URLSearchParams(before ? { limit, before } : { limit })}`),
    search: async (query, limit) => (await json(`/search?${new URLSearchParams({ q: query, limit })}`)).hits,
    rename: (id, name) => json(`/${id}`, { method: "PATCH", body: { name } }),
    remove: (id) => ask(`/${id}`, { method: "DELETE" }),
    restore: (id) => json(`/${id}/restore`, { method: "POST" }),
    picture: async (id, file) => (await ask(`/${id}/${file}`)).blob(),
    openEvents: (signal) => ask("/events", { signal }),
  };
}
