/** Whether the bytes are asked for instead of JSON about them. */
export function wantsPng(accept: string | undefined): boolean {
  const png = qualityOf(accept, "image/png");
  return png > 0 && png >= qualityOf(accept, "application/json");
}

/** Of a type that is named; a wildcard is no wish for either. */
function qualityOf(accept = "", type: string): number {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  }
  return 0;
}
