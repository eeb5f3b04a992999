/** Whether an Accept header asks for a page rather than for data: a browser that visits does, fetch and curl do not. */
export function asksForPage(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false;
  const qualities = new Map(accept.split(",").map(readRange));
  return (qualities.get("text/html") ?? 0) > (qualities.get("application/json") ?? 0);
}

function readRange(text: string): [type: string, quality: number] {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [type, quality === undefined ? 1 : Number(quality) || 0];
}
