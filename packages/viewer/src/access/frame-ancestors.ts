const TWINS: Readonly<Record<string, string>> = { localhost: "127.0.0.1", "127.0.0.1": "localhost" };

/** Who may show the page in a frame, besides itself: the workspaces, by either name of this machine. */
export function frameAncestorsOf(baseUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  const twin = TWINS[hostname];
  return [origin, ...(twin === undefined ? [] : [`${protocol}//${twin}${port === "" ? "" : `:${port}`}`])];
}
