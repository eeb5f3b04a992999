import type { IncomingMessage } from "node:http";

/** The first part of a frame's host name says what is in it. */
export type FrameLabel =
  /** `s-<tab>-<generation>`: a sandbox. Another generation is another origin, and another process of the browser. */
  | { kind: "sandbox"; label: string }
  /** `p-<hash of workspace, package, version and tab>-<window>-<generation>`: a panel of a package. */
  | { kind: "package"; label: string }
  /** `w-<hash of workspace and site>`: a site through the proxy. */
  | { kind: "site"; label: string };

const LABEL = /^[spw]-[a-z0-9-]{1,61}$/;
const KINDS = { s: "sandbox", p: "package", w: "site" } as const;

/** Recognises requests to frames by their host name. */
export function createLabelReader(framesUrl: string): (request: IncomingMessage) => FrameLabel | undefined {
  const suffix = new URL(framesUrl.replace("*.", "any.")).hostname.slice("any".length);
  return ({ headers }) => {
    const host = headers.host?.toLowerCase();
    if (host === undefined) return undefined;
    const colon = host.lastIndexOf(":");
    const name = colon === -1 || host.endsWith("]") ? host : host.slice(0, colon);
    if (!name.endsWith(suffix)) return undefined;
    const label = name.slice(0, -suffix.length);
    if (!LABEL.test(label)) return undefined;
    return { kind: KINDS[label[0] as keyof typeof KINDS], label };
  };
}

/** The origin of a frame. */
export const frameOrigin = (framesUrl: string, label: string): string => framesUrl.replace("*", label);

/** Origins of pages that may embed a frame: the platform's own, and both loopback names if it runs on one of them. */
export function frameAncestors(baseUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(baseUrl);
  if (hostname !== "localhost" && hostname !== "127.0.0.1") return [origin];
  return ["localhost", "127.0.0.1"].map((host) => `${protocol}//${host}${port === "" ? "" : `:${port}`}`);
}
