import type { NamerSettings } from "@backplane/kit/settings";
import { fieldOf, type ModelRequest, textOf } from "./format.ts";
import { NAMING_INSTRUCTION, PICTURE_TYPE } from "./instruction.ts";

const ENDPOINT = "/messages";
const VERSION = "2023-06-01";
/** This format wants a bound; a name is some twenty. */
const MAX_TOKENS = 200;

/** Anthropic-compatible: the address says so itself. */
export function speaksMessages(base: string): boolean {
  const { host, pathname } = new URL(base);
  return pathname.endsWith(ENDPOINT) || /anthropic/i.test(host) || /\/anthropic(\/|$)/i.test(pathname);
}

export function message({ url, model, key }: NamerSettings, picture: Buffer): ModelRequest {
  return {
    url: addressOf(url),
    headers: { "anthropic-version": VERSION, ...(key === undefined ? {} : { "x-api-key": key }) },
    body: {
      model,
      max_tokens: MAX_TOKENS,
      messages: [
        {
          role: "user",
          content: [
            {
              type: "image",
              source: { type: "base64", media_type: PICTURE_TYPE, data: picture.toString("base64") },
            },
            { type: "text", text: NAMING_INSTRUCTION },
          ],
        },
      ],
    },
    wordsOf: (answer) => textOf(fieldOf(answer, "content")),
  };
}

function addressOf(base: string): string {
  const { pathname } = new URL(base);
  if (pathname.endsWith(ENDPOINT)) return base;
  return /\/v\d+$/.test(pathname) ? `${base}${ENDPOINT}` : `${base}/v1${ENDPOINT}`;
}
