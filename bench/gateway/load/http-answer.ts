export type Answer = { status: number; closes: boolean };

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";
const STATUS_AT = "HTTP/1.1 ".length;

/** The answer to the current request, once it is complete. */
export function readAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd).toLowerCase();
  const bodyAt = headEnd + HEAD_END.length;
  if (head.includes("\r\ntransfer-encoding: chunked")) {
    if (!text.endsWith(LAST_CHUNK)) return undefined;
  } else if (text.length - bodyAt < contentLength(head)) return undefined;
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
  return { status, closes: head.includes("\r\nconnection: close") };
}

function contentLength(head: string): number {
  const name = "\r\ncontent-length: ";
  const at = head.indexOf(name);
  return at === -1 ? 0 : Number.parseInt(head.slice(at + name.length), 10);
}
