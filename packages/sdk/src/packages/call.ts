import {
  type Question as Asked,
  type CallOptions,
  callBackplane,
  unexpectedAnswer as unexpected,
} from "../calls/call.ts";
import { RegistryError } from "./errors.ts";
import { REGISTRY_CALL_LIMITS } from "./limits.ts";

/** Reading needs no token; publishing needs a session's, or an API key with the scope `publish`. */
export type RegistryOptions = CallOptions;

export type PublisherOptions = RegistryOptions & { sessionToken: string };

export type Question = Omit<Asked, "answerMs" | "maxAnswerBytes"> & { answerMs?: number };

/** One call; what it was answered, once that is OK. Throws RegistryError. */
export function callRegistry(options: RegistryOptions, question: Question): Promise<unknown> {
  const { answerMs, maxAnswerBytes } = REGISTRY_CALL_LIMITS;
  return callBackplane(RegistryError, options, { answerMs, maxAnswerBytes, ...question });
}

export const unexpectedAnswer = (words: string) => unexpected(RegistryError, words);
