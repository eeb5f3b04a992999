/** A call that works when it is pasted: the key comes from the environment, never from the page. */
export function writeCommand(origin: string, path: string): string {
  const body = JSON.stringify({ source: "bench", level: "info", message: "Hello from the bench" });
  return [
    `curl -sS "${origin}${path}"`,
    `-H "X-Api-Key: $BACKPLANE_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" ");
}
