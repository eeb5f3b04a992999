/** Every wait and size of calls to the registry, by name. */
export const REGISTRY_CALL_LIMITS = {
  /** What Backplane has for the answer to one request. */
  answerMs: 15_000,
  /** An upload is sent and looked at within this. */
  uploadMs: 15 * 60_000,
  maxAnswerBytes: 8 * 1024 * 1024,
};
