import { type PasteWithText, VIEWER_LIMITS } from "@backplane/contract/viewer";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { fieldOf, NAMING_INSTRUCTION, PICTURE_TYPE, textOf } from "../naming/models/model-formats.ts";
import { nameFromAnswer } from "../naming/models/name-from-answer.ts";

/** How the client's model is asked: by a request while the call waits, by a second round of the call, or not at all. */
export type SamplingMode = "request" | "round" | "never";

const MAX_TOKENS = 100;

/** Whether the client's model should be asked: no name ranks higher, and the picture fits into a message. */
export const wantsName = ({ namedBy, optimized }: PasteWithText): boolean =>
  (namedBy === null || namedBy === "text") && optimized.bytes <= VIEWER_LIMITS.maxInlineImageBytes;

export function offersSampling(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
  return fieldOf(capabilities, "sampling") !== undefined;
}

export const samplingRequest = (picture: Buffer): CreateMessageRequestParams => ({
  messages: [
    { role: "user", content: { type: "image", data: picture.toString("base64"), mimeType: PICTURE_TYPE } },
    { role: "user", content: { type: "text", text: NAMING_INSTRUCTION } },
  ],
  maxTokens: MAX_TOKENS,
});

/** The answer is untrusted, like that of any model. */
export function sampledName({ content }: CreateMessageResult | CreateMessageResultWithTools): string | undefined {
  const words = textOf(Array.isArray(content) ? content : [content]);
  return words === undefined ? undefined : nameFromAnswer(words);
}
