export type HttpRequest = {
  path: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Sent in turn instead of one path and body, where repeating the same request is not the work to measure. */
  variants?: readonly { path: string; body?: string }[];
  /** Whether the right answer is a refusal, such as "not yet"; then any other answer is a fault. */
  expectsRefusal?: boolean;
};
