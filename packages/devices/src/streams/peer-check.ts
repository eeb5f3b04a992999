import { type Message, parseMessage, StunProtocol } from "werift";

export type Address = readonly [host: string, port: number];
/** As the library asks whether to answer a request by which a browser checks that it reaches us. */
export type PeerCheck = (message: Message, from: Address, protocol: unknown) => boolean;

/** A browser has several addresses, and gets new ones when it changes networks. */
const MAX_PEERS = 16;

/**
 * The library believes what anybody sends to a port: one packet ends the pictures of a viewer, and another one chooses where they
 * go. Here only requests count that are signed with our password, which only the answer to the offer says (RFC 8445, section 7.3),
 * and other packets only from where such requests came from. `passwords`: of one connection. `onHeard`: its browser is there.
 */
export function createPeerCheck(passwords: () => readonly string[], onHeard: () => void): PeerCheck {
  const checked = new WeakSet<StunProtocol>();
  const peers = new Set<string>();

  function mayPass(data: Buffer, from: Address): boolean {
    const place = from.join(" ");
    if (!parseMessage(data)) return peers.has(place);
    if (!passwords().some((password) => parseMessage(data, Buffer.from(password)))) return false;
    peers.delete(place);
    peers.add(place);
    const [oldest] = peers;
    if (peers.size > MAX_PEERS && oldest !== undefined) peers.delete(oldest);
    onHeard();
    return true;
  }

  return (_message, _from, protocol) => {
    if (!(protocol instanceof StunProtocol)) return false;
    if (checked.has(protocol)) return true;
    checked.add(protocol);
    passOnly(protocol, mayPass);
    // Nobody has checked this one. Browsers send another in a moment.
    return false;
  };
}

/** The library sees only packets that may pass. */
export function passOnly({ transport }: StunProtocol, mayPass: (data: Buffer, from: Address) => boolean): void {
  const take = transport.onData;
  transport.onData = (data, from) => {
    if (mayPass(data, from)) take(data, from);
  };
}
