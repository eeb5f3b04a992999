import type { CheckedUpload, PublishedVersion } from "@backplane/contract/registry";
import { useEffect, useRef, useState } from "react";
import { type Answer, call } from "../../calls/call.ts";
import { useSession } from "../../session/session.tsx";
import { publishPath } from "../paths.ts";
import { checkFault, fileFault, type Message, publishFault } from "./publish-words.ts";

type Stage =
  | { is: "empty"; fault?: string }
  | { is: "checking"; file: File; sent: number }
  | { is: "unchecked"; file: File; fault: Message }
  | { is: "checked"; file: File; checked: CheckedUpload; fault?: Message }
  | { is: "publishing"; file: File; checked: CheckedUpload; sent: number }
  | { is: "published"; checked: CheckedUpload; published: PublishedVersion };

/** What is chosen for a package that is new. */
export type NewPackage = { owner?: string; isPrivate: boolean };

const START_BYTES = 4;

/** From a file to a published version: checked briefly here, then by the server, then published by a click. */
export function usePublish(maxBytes: number | undefined) {
  const { refresh } = useSession();
  const [stage, setStage] = useState<Stage>({ is: "empty" });
  const sending = useRef<AbortController>(undefined);

  useEffect(() => () => sending.current?.abort(), []);

  const send = async <T>(path: string, file: File, onSent: (sent: number) => void): Promise<Answer<T> | undefined> => {
    sending.current?.abort();
    sending.current = new AbortController();
    const { signal } = sending.current;
    onSent(0);
    const answer = await upload<T>({ path, file, signal, onSent: (sent) => !signal.aborted && onSent(sent) });
    if (signal.aborted) return undefined;
    if (!answer.ok && answer.fault.status === 401) void refresh();
    return answer;
  };

  const check = async (files: readonly File[]): Promise<void> => {
    sending.current?.abort();
    const [file] = files;
    if (!file) return;
    if (files.length > 1) return setStage({ is: "empty", fault: "Not sent: choose one archive at a time." });
    const fault = await faultOf(file, maxBytes);
    if (fault !== undefined) return setStage({ is: "empty", fault });
    const answer = await send<CheckedUpload>(publishPath({ check: true }), file, (sent) =>
      setStage({ is: "checking", file, sent }),
    );
    if (answer?.ok) setStage({ is: "checked", file, checked: answer.value });
    else if (answer) setStage({ is: "unchecked", file, fault: checkFault(answer.fault) });
  };

  const publish = async (file: File, checked: CheckedUpload, choice: NewPackage): Promise<void> => {
    const answer = await send<PublishedVersion>(publishPath(choice), file, (sent) =>
      setStage({ is: "publishing", file, checked, sent }),
    );
    if (answer?.ok) setStage({ is: "published", checked, published: answer.value });
    else if (answer) setStage({ is: "checked", file, checked, fault: publishFault(answer.fault, checked.version) });
  };

  const startAgain = () => {
    sending.current?.abort();
    setStage({ is: "empty" });
  };

  return { stage, check, publish, startAgain };
}

async function faultOf(file: File, maxBytes: number | undefined): Promise<string | undefined> {
  const { name, size } = file;
  try {
    const firstBytes = new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer());
    return fileFault({ name, size, firstBytes }, maxBytes);
  } catch {
    return `Not sent: ${name} cannot be read. Choose a zip archive, not a folder.`;
  }
}

/** After this long without progress in either direction, give up. The server needs time to read the whole archive. */
const STALLED_AFTER_MS = 120_000;

type Upload = {
  path: string;
  file: Blob;
  /** Bytes sent so far. */
  onSent: (bytes: number) => void;
  signal: AbortSignal;
};

/** Sends an archive with XMLHttpRequest: fetch does not report upload progress. */
const upload = <T>({ path, file, onSent, signal }: Upload): Promise<Answer<T>> =>
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
