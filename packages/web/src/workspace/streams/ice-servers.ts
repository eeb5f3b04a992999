const ENTRY = /<((?:stuns?|turns?):[^<>\s]{1,500})>([^<]{0,1000})/g;

const parameterOf = (parameters: string, name: string): string | undefined =>
  new RegExp(`;\\s{0,8}${name}="([^"]{0,500})"`).exec(parameters)?.[1];

/** The servers for the way to the pictures that an answer names in its header `Link` (RFC 9725, section 4.6). */
export function iceServersOf(link: string | null): RTCIceServer[] {
  return [...(link ?? "").matchAll(ENTRY)].flatMap(([, urls = "", parameters = ""]) => {
    if (!/;\s{0,8}rel="?ice-server\b/.test(parameters)) return [];
    const [username, credential] = [parameterOf(parameters, "username"), parameterOf(parameters, "credential")];
    return [
      { urls, ...(username === undefined ? {} : { username }), ...(credential === undefined ? {} : { credential }) },
    ];
  });
}
