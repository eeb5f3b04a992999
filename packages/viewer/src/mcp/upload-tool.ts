import { Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { inputReader, listed } from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Type } from "typebox";
import type { ViewerAccess } from "../services.ts";
import { WIDGET_URI } from "./resources.ts";

const { maxInlineImageBytes, maxTitleCharacters } = VIEWER_LIMITS;
const BASE64_CHARACTERS = Math.ceil(maxInlineImageBytes / 3) * 4;
const MAX_PREFIX_CHARACTERS = 100;

const Input = Type.Object(
  {
    image: Type.String({
      minLength: 1,
      maxLength: BASE64_CHARACTERS + MAX_PREFIX_CHARACTERS,
      description: `The image as base64, or as a data: address; at most ${maxInlineImageBytes / 1_048_576} MiB`,
    }),
    title: Type.Optional(Type.String({ maxLength: maxTitleCharacters })),
  },
  { additionalProperties: false },
);
const readInput = inputReader(Input);

export const UPLOAD_TOOL = "av_screenshot_upload";

/** Only for the page inside a chat client. A model uses paths; base64 would only cost tokens. */
export const uploadTool = {
  title: "Save a pasted image",
  description:
    "For the paste page that a chat client shows; programs and models use av_screenshot_paste. Saves the image as a screenshot of the project.",
  inputSchema: listed(Input),
  outputSchema: listed(Paste),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  _meta: { ui: { resourceUri: WIDGET_URI, visibility: ["app"] }, "ui/resourceUri": WIDGET_URI },
};

export async function saveUpload(access: ViewerAccess, input: unknown): Promise<CallToolResult> {
  const { image, title } = readInput(input);
  const paste = await access.paste(imageOf(image), title);
  return { content: [{ type: "text", text: `Saved as ${paste.optimized.path}.` }], structuredContent: { ...paste } };
}

function imageOf(text: string): Buffer {
  const encoded = text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text;
  // Buffer.from silently drops characters that are not base64.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw fault("is not base64");
  const image = Buffer.from(encoded, "base64");
  if (image.length === 0) throw fault("is empty");
  if (image.length > maxInlineImageBytes) throw fault(`is larger than ${maxInlineImageBytes} bytes`);
  return image;
}

const fault = (message: string): Problem => new Problem("invalid-input", { errors: [{ pointer: "/image", message }] });
