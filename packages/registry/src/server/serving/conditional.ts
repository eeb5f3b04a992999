/** Whether If-None-Match names this file in any of its forms: all their tags begin with its sha256. */
export function namesFile(header: string, sha256: string): boolean {
  if (header.trim() === "*") return true;
  // The usual case is one tag, as we sent it.
  for (const tag of header.split(",")) {
    const opaque = tag.trim().replace(/^W\//, "");
    if (opaque.startsWith(`"${sha256}`) && /^("|-(gzip|br)"$)/.test(opaque.slice(sha256.length + 1))) return true;
  }
  return false;
}
