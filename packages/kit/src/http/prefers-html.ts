/** Whether an Accept header asks for a page rather than for data: a browser's form does, fetch and curl do not. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = new Map(accept.split(",").map(readRange));
  const data = qualities.get("application/json") ?? 0;
  return (qualities.get("text/html") ?? 0) > data;
}

function readRange(text: string): [type: string, quality: number] {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [type, quality === undefined ? 1 : Number(quality) || 0];
}
