const ENTRY = /<((?:stuns?|turns?):[^<>\s]{1,500})>([^<]{0,1000})/g;

const USERNAME = /;\s{0,8}username="([^"]{0,500})"/;
const CREDENTIAL = /;\s{0,8}credential="([^"]{0,500})"/;

/** The servers for the way to the pictures that an answer names in its header `Link` (RFC 9725, section 4.6). */
export function iceServersOf(link: string | null): RTCIceServer[] {
  return [...(link ?? "").matchAll(ENTRY)].flatMap(([, urls = "", parameters = ""]) => {
    if (!/;\s{0,8}rel="?ice-server\b/.test(parameters)) return [];
    const [username, credential] = [USERNAME.exec(parameters)?.[1], CREDENTIAL.exec(parameters)?.[1]];
    return [
      { urls, ...(username === undefined ? {} : { username }), ...(credential === undefined ? {} : { credential }) },
    ];
  });
}
