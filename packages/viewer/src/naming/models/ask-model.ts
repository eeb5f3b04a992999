import { readText } from "@backplane/kit/bounded-body";
import type { NamerSettings } from "@backplane/kit/settings";
import { chatCompletion, message, speaksMessages } from "./model-formats.ts";
import { nameFromAnswer } from "./name-from-answer.ts";

/** Why there is no name, and the next step. Contains nothing of the request or the answer. */
export class ModelFault extends Error {
  override name = "ModelFault";
}

export type Asking = {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  timeoutMs: number;
};

export const MAX_ANSWER_BYTES = 65_536;

/** Asks the configured model for a name. Rejects with a ModelFault, or with the signal's reason. */
export async function askModel(namer: NamerSettings, picture: Buffer, asking: Asking): Promise<string> {
  const request = (speaksMessages(namer.url) ? message : chatCompletion)(namer, picture);
  const answer = readJson(await send(request, asking));
  const text = request.textIn(answer);
  if (text === undefined) throw new ModelFault("The answer has no text. Check that NAMER_MODEL can read images.");
  const name = nameFromAnswer(text);
  if (name === undefined) throw new ModelFault("The answer is not a usable name. Try another NAMER_MODEL.");
  return name;
}

type Sent = { url: string; headers: Record<string, string>; body: unknown };

async function send({ url, headers, body }: Sent, { fetch, signal, timeoutMs }: Asking): Promise<string> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify(body),
      // A redirect must not send the key and the picture elsewhere.
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ModelFault(statusSentence(response.status));
    }
    const text = await readText(response.body, MAX_ANSWER_BYTES);
    if (text === undefined) throw new ModelFault(`The answer is larger than ${MAX_ANSWER_BYTES} bytes.`);
    return text;
  } catch (error) {
    if (error instanceof ModelFault) throw error;
    signal.throwIfAborted();
    if (late.aborted) throw new ModelFault(`It did not answer within ${timeoutMs / 1_000} s.`);
    // Without the cause: some libraries put the request, and so the key, into it.
    throw new ModelFault("It cannot be reached. Check NAMER_URL.");
  }
}

function statusSentence(status: number): string {
  if (status >= 300 && status < 400) return `It redirects (${status}). Set NAMER_URL to the address it redirects to.`;
  if (status === 401 || status === 403) return `It refuses the key (${status}). Check NAMER_KEY.`;
  if (status === 404) return "It has no such address or model (404). Check NAMER_URL and NAMER_MODEL.";
  if (status === 429) return "It got too many requests (429). Until it accepts more, names come from the text.";
  if (status >= 500) return `It failed (${status}). Until it recovers, names come from the text.`;
  return `It refuses the request (${status}). Check that NAMER_MODEL can read images.`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelFault("The answer is not JSON. Check NAMER_URL.");
  }
}
