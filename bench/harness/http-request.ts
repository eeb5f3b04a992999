export type HttpRequest = {
  path: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Sent in turn instead of the one path and body, where asking the same again and again is not the work meant. */
  variants?: readonly { path: string; body?: string }[];
  /** Whether the server's part of the work is to say no, such as "not yet"; then any other answer is a fault. */
  expectsRefusal?: boolean;
};
