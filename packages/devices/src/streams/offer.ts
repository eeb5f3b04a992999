const MAX_LINES = 2_000;

/**
 * An offer without the addresses of its browser: we never send to an address that was only named. Undefined, or words: it
 * is none that can be answered. `wants`: what is to be done with the video.
 */
export function readOffer(text: string, wants: "receive" | "send"): { offer: string } | { reason: string } {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES || lines[0] !== "v=0") return { reason: "The body is no SDP offer." };
  const media = lines.filter((line) => line.startsWith("m="));
  if (media.some((line) => !/^m=(video|audio) /.test(line)) || media.length > 4)
    return { reason: `The offer wants more than video: offer one video to ${wants}, and no data channel.` };
  if (!media.some((line) => line.startsWith("m=video "))) return { reason: "The offer wants no video." };
  if (!lines.some((line) => /^a=ice-ufrag:./.test(line))) return { reason: "The offer has no ICE user name." };
  if (!lines.some((line) => /^a=rtpmap:\d{1,3} H264\/90000$/i.test(line)))
    return {
      reason:
        wants === "receive"
          ? "The browser does not play H.264, which streams are in. Use another browser."
          : "The offer has no H.264, which streams are in. Set the program or camera that pushes to H.264.",
    };
  return { offer: withoutAddresses(text) };
}

/** Of whoever wrote this description. */
export const withoutAddresses = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !/^a=(candidate|end-of-candidates)/.test(line))
    .join("\r\n");
