const MAX_PROGRAM_LENGTH = 60;
/** A longer text is cut before it is parsed. */
const MAX_AGENT_LENGTH = 512;

/** The first match counts: each browser also claims to be those below it. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|Chromium|CriOS)\//, "Chromium"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad|iPod)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const WORDS: Readonly<Record<string, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
  freebsd: "FreeBSD",
  node: "Node",
  bun: "Bun",
  deno: "Deno",
  python: "Python",
};

/** The program of a User-Agent header, for people: "Chromium on Linux", "Linux, Node 24", "curl 8"; null without one. */
export function programOf(userAgent: string | undefined): string | null {
  const agent = userAgent?.slice(0, MAX_AGENT_LENGTH).trim();
  if (!agent) return null;
  const program = agent.startsWith("Mozilla/") ? browserIn(agent) : (runtimeIn(agent) ?? productIn(agent));
  return program?.slice(0, MAX_PROGRAM_LENGTH) ?? null;
}

function browserIn(agent: string): string | undefined {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return system && `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** As our own programs write it: `backplane/0.1.0 (linux; node 24)`. */
function runtimeIn(agent: string): string | undefined {
  const match = /^[\w.-]+\/[\w.+-]+ \(([a-z0-9]+); ?([a-z]+) v?(\d+)(?!\d)[\d.]*\)/i.exec(agent);
  if (!match) return undefined;
  const [, system = "", runtime = "", major = ""] = match;
  return `${inWords(system)}, ${inWords(runtime)} ${major}`;
}

/** The first word and the major version. Only ASCII: other characters could make one name look like another. */
function productIn(agent: string): string | undefined {
  const match = /^([A-Za-z0-9][\w.-]*)(?:\/v?(\d+)(?!\d)[\w.+-]*)?(?=$|[\s;,(])/.exec(agent);
  if (!match) return undefined;
  const [, name = "", major] = match;
  return major === undefined ? inWords(name) : `${inWords(name)} ${major}`;
}

const inWords = (name: string): string =>
  (Object.hasOwn(WORDS, name.toLowerCase()) && WORDS[name.toLowerCase()]) || name;

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
