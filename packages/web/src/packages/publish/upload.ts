import { type Answer, call } from "../../calls/call.ts";

/** When nothing moves for this long, neither up nor down, no answer will come. The server reads all of an archive. */
const STALLED_AFTER_MS = 120_000;

type Upload = {
  path: string;
  file: Blob;
  /** Bytes that are on their way or there. */
  onSent: (bytes: number) => void;
  signal: AbortSignal;
};

/** Sends an archive. By the older kind of request: only that tells how far it is. */
export const upload = <T>({ path, file, onSent, signal }: Upload): Promise<Answer<T>> =>
  call<T>({ method: "POST", path }, (url, init) => send(String(url), init?.headers, file, onSent, signal));

function send(
  url: string,
  headers: HeadersInit | undefined,
  file: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  const fail = () => reject(new TypeError("no answer"));
  let stalled = setTimeout(abort, STALLED_AFTER_MS);

  request.open("POST", url);
  for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
  request.setRequestHeader("content-type", "application/zip");
  request.upload.onprogress = ({ loaded }) => {
    clearTimeout(stalled);
    stalled = setTimeout(abort, STALLED_AFTER_MS);
    onSent(Math.min(loaded, file.size));
  };
  request.onload = () => resolve(responseOf(request));
  request.onerror = fail;
  request.onabort = fail;
  signal.addEventListener("abort", abort, { once: true });
  request.onloadend = () => {
    clearTimeout(stalled);
    signal.removeEventListener("abort", abort);
  };
  if (signal.aborted) fail();
  else request.send(file);
  return promise;
}

function responseOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader("retry-after");
  return new Response(request.responseText, {
    status: request.status,
    headers: retryAfter === null ? {} : { "retry-after": retryAfter },
  });
}
