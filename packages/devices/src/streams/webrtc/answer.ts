import { isIP } from "node:net";

const MAX_LINES = 2_000;
const MAX_CANDIDATES = 32;
const CANDIDATE = "a=candidate:";

export type Candidate = { host: string; port: number };

/**
 * The answer of another server, and where it says that it is: only addresses that `mayTalkTo` allows stay in it. Words: it
 * is none that can be used.
 */
export async function readAnswer(
  text: string,
  mayTalkTo: (candidate: Candidate) => Promise<boolean>,
): Promise<{ answer: string; addresses: string[] } | { reason: string }> {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES || lines[0] !== "v=0") return { reason: "The server's answer is no SDP." };
  if (!lines.some((line) => /^m=video [1-9]/.test(line)))
    return { reason: "The server has no video for us at this address: it has to send H.264." };
  const kept: string[] = [];
  const addresses = new Set<string>();
  let seen = 0;
  for (const line of lines) {
    const candidate = line.startsWith(CANDIDATE) ? candidateOf(line) : undefined;
    if (line.startsWith(CANDIDATE)) {
      seen += 1;
      if (!candidate || seen > MAX_CANDIDATES || !(await mayTalkTo(candidate))) continue;
      addresses.add(`${candidate.host} ${candidate.port}`);
    }
    kept.push(line);
  }
  if (addresses.size === 0) return { reason: seen === 0 ? NO_ADDRESS : REFUSED };
  return { answer: kept.join("\r\n"), addresses: [...addresses] };
}

const NO_ADDRESS = "The server does not say where its pictures come from: its answer has no address.";
const REFUSED =
  "The server names only addresses that Backplane does not connect to. For addresses in your own network, whoever runs Backplane adds them to STREAM_ALLOW.";

/** Names are left out: what they stand for could change after it was checked. */
function candidateOf(line: string): Candidate | undefined {
  const [, , transport = "", , host = "", port = ""] = line.split(" ", 6);
  if (transport.toLowerCase() !== "udp" || isIP(host) === 0 || !/^\d{1,5}$/.test(port)) return undefined;
  return { host, port: Number(port) };
}
