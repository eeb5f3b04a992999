import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type HlsPlayer, openHlsPlayer } from "../../streams/hls-player.ts";
import type { Player, PlayerState } from "../../streams/playback.ts";
import { openPlayer } from "../../streams/player.ts";

/** How the pictures come. `why`: it should have been WHEP. `behindMs`: what was then is looked at; 0: now. */
export type Way = { via: "whep" } | { via: "hls"; behindMs: number; why: string | undefined };

/** The server has pictures, and none has come by UDP for this long. */
const NO_PATH_MS = 7_000;
const NO_PATH = "No picture came over UDP, which WHEP needs: a firewall or the browser may not allow it.";
const NO_WEBRTC = "This browser has no WebRTC.";
/** Faults of the offer or its answer: other browsers may do better, waiting does not. */
const OFFER_FAULTS: ReadonlySet<string> = new Set(["malformed-request", "unexpected-answer"]);

const NOTHING = () => () => {};
const NONE = () => undefined;

/** WHEP, and HLS where that does not work or where somebody looks back. `isHls`: the stream has nothing else. */
export function useLive(path: string, video: RefObject<HTMLVideoElement | null>, isHls: boolean) {
  const [way, setWay] = useState<Way>(() => firstWay(isHls));
  const [player, setPlayer] = useState<Player>();
  const hls = useRef<HlsPlayer>(undefined);
  // A further move within what is looked back at does not open the stream again.
  const { via } = way;
  const startMs = useRef(0);
  startMs.current = way.via === "hls" ? way.behindMs : 0;
  useEffect(() => {
    if (!video.current) return;
    const opened =
      via === "hls" ? openHlsPlayer(path, video.current, startMs.current) : openPlayer(path, video.current);
    hls.current = "goBack" in opened ? (opened as HlsPlayer) : undefined;
    setPlayer(opened);
    return () => {
      hls.current = undefined;
      opened.close();
    };
  }, [path, video, via]);
  const state: PlayerState | undefined = useSyncExternalStore<PlayerState | undefined>(
    player?.onChange ?? NOTHING,
    player?.state ?? NONE,
  );

  const fallBack = (why: string) => setWay({ via: "hls", behindMs: 0, why });
  const isWaiting = via === "whep" && state?.phase !== "playing" && state?.stream?.state === "playing";
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setWay({ via: "hls", behindMs: 0, why: NO_PATH }), NO_PATH_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  if (via === "whep" && state?.code !== undefined && OFFER_FAULTS.has(state.code)) fallBack(state.words ?? NO_PATH);

  return {
    ...{ way, player, state },
    goBack(behindMs: number) {
      setWay((before) => ({ via: "hls", behindMs, why: before.via === "hls" ? before.why : undefined }));
      hls.current?.goBack(behindMs);
    },
    /** By WHEP, unless that has failed before. */
    goLive() {
      hls.current?.resume();
      if (isHls || (way.via === "hls" && way.why !== undefined)) {
        setWay((before) => ({ ...before, behindMs: 0 }));
        hls.current?.goBack(0);
      } else setWay({ via: "whep" });
    },
    tryWhep: () => setWay(firstWay(isHls)),
    setPaused: (isPaused: boolean) => (isPaused ? hls.current?.pause() : hls.current?.resume()),
  };
}

function firstWay(isHls: boolean): Way {
  if (isHls) return { via: "hls", behindMs: 0, why: undefined };
  return typeof RTCPeerConnection === "undefined" ? { via: "hls", behindMs: 0, why: NO_WEBRTC } : { via: "whep" };
}
