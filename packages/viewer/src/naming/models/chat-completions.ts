import type { NamerSettings } from "@backplane/kit/settings";
import { fieldOf, type ModelRequest, textOf } from "./format.ts";
import { NAMING_INSTRUCTION, PICTURE_TYPE } from "./instruction.ts";

const ENDPOINT = "/chat/completions";

/**
 * OpenAI-compatible. No bound on tokens: servers disagree on what it is called, and models that think before they
 * answer need more than a name's worth. Time and bytes bound the answer.
 */
export function chatCompletion({ url, model, key }: NamerSettings, picture: Buffer): ModelRequest {
  return {
    url: addressOf(url),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: {
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: NAMING_INSTRUCTION },
            {
              type: "image_url",
              image_url: { url: `data:${PICTURE_TYPE};base64,${picture.toString("base64")}` },
            },
          ],
        },
      ],
    },
    wordsOf(answer) {
      const choices = fieldOf(answer, "choices");
      const message = fieldOf(Array.isArray(choices) ? choices[0] : undefined, "message");
      return textOf(fieldOf(message, "content"));
    },
  };
}

function addressOf(base: string): string {
  const url = new URL(base);
  if (url.pathname.endsWith(ENDPOINT)) return base;
  return url.pathname === "/" ? `${url.origin}/v1${ENDPOINT}` : `${base}${ENDPOINT}`;
}
