/** Whether an address leads to the very machine that opens it. On another machine it does not reach what was meant. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname) || /(^|\.)localhost$/.test(hostname);
}
