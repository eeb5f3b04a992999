import { RTCPeerConnection, RTCRtpCodecParameters, StunProtocol } from "werift";
import type { MediaPlace } from "../media.ts";
import { withoutAddresses } from "../offer.ts";
import { type Address, createPeerCheck, passOnly } from "../peer-check.ts";

/** What all browsers play; whoever sends to us may use any other profile. */
const USUAL_PROFILE = ";profile-level-id=42e01f";

const codecs = (profile: string) => ({
  video: [
    new RTCRtpCodecParameters({
      ...{ mimeType: "video/H264", clockRate: 90_000 },
      parameters: `level-asymmetry-allowed=1;packetization-mode=1${profile}`,
      rtcpFeedback: [{ type: "nack" }, { type: "nack", parameter: "pli" }],
    }),
  ],
});
const ONLY_UDP = { iceServers: [], iceUseIpv4: false, iceUseIpv6: false, iceUseTcp: false };

/** As ICE lite: others come to us, and nothing is sent to any address that an offer names. `doesSend`: we send pictures. */
export function openListening(
  { hosts, bind, ports }: MediaPlace,
  { doesSend, onHeard }: { doesSend: boolean; onHeard(): void },
): RTCPeerConnection {
  const passwords = () => connection.iceTransports.map(({ localParameters }) => localParameters.password);
  const connection = new RTCPeerConnection({
    ...{ ...ONLY_UDP, codecs: codecs(doesSend ? USUAL_PROFILE : ""), iceLite: true },
    iceAdditionalHostAddresses: [...hosts],
    ...(bind === undefined ? {} : { iceInterfaceAddresses: bind.includes(":") ? { udp6: bind } : { udp4: bind } }),
    ...(ports === undefined ? {} : { icePortRange: [ports[0], ports[1]] as [number, number] }),
    iceFilterStunResponse: createPeerCheck(passwords, onHeard),
  });
  return connection;
}

/** Rejects for an offer that the library cannot read. */
export async function answerTo(connection: RTCPeerConnection, offer: string): Promise<string> {
  await connection.setRemoteDescription({ type: "offer", sdp: offer });
  await connection.setLocalDescription(await connection.createAnswer());
  // Browsers read it before the first media only, where the library does not write it.
  return (connection.localDescription?.sdp ?? "").replace("\r\nt=0 0\r\n", "\r\nt=0 0\r\na=ice-lite\r\n");
}

/** For pictures of another server, by WebRTC: we go to the addresses that `mayTalkTo` allows, and hear nobody else. */
export function openAsking(mayTalkTo: (address: Address) => boolean): RTCPeerConnection {
  const filtered = new WeakSet<StunProtocol>();
  return new RTCPeerConnection({
    ...{ ...ONLY_UDP, codecs: codecs(USUAL_PROFILE) },
    iceAdditionalHostAddresses: ["0.0.0.0", "::"],
    iceFilterStunResponse: (_message, from) => mayTalkTo(from),
    iceFilterCandidatePair({ protocol, remoteAddr }) {
      if (!(protocol instanceof StunProtocol) || !mayTalkTo(remoteAddr)) return false;
      if (!filtered.has(protocol)) passOnly(protocol, (_data, from) => mayTalkTo(from));
      filtered.add(protocol);
      return true;
    },
  });
}

/** Without addresses of ours: whoever answers sees where we come from. */
export async function offerOf(connection: RTCPeerConnection): Promise<string> {
  connection.addTransceiver("video", { direction: "recvonly" });
  // Otherwise the library asks a server of its choice for our address.
  for (const { connection: ice } of connection.iceTransports) delete ice.stunServer;
  await connection.setLocalDescription(await connection.createOffer());
  return withoutAddresses(connection.localDescription?.sdp ?? "");
}
