import type Hls from "hls.js/light";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { workspaceRoute } from "../calls.ts";
import { useDevicesStatus } from "../device-panel/use-devices.ts";
import type { PanelContext } from "../panel.ts";

const SYNC_MS = 50;
/** Further away than this from the time of the replay, the video jumps; nearer, it goes a little faster or slower. */
const JUMP_S = 0.3;
const MAX_PULL = 0.1;
const NEAR_S = 0.04;
/** At its very end a video has no picture. */
const END_S = 0.02;

type Phase = "loading" | "playing" | "absent";

/** The pictures of a camera in a replay, at its time. */
export function Replayed({ context, stream }: { context: PanelContext; stream: string }) {
  const { workspace, devices, clock } = context;
  const recording = useDevicesStatus(devices).replay?.recording ?? undefined;
  const video = useRef<HTMLVideoElement>(null);
  const [phase, setPhase] = useState<Phase>("loading");
  const { owner, repo } = workspace;

  useEffect(() => {
    const element = video.current;
    if (!element || recording === undefined) return;
    setPhase("loading");
    const files = workspaceRoute({ owner, repo }, `/recordings/${recording}/streams/${encodeURIComponent(stream)}`);
    const speed = () => devices.status().replay?.speed ?? 0;
    return play(element, `${files}/index.m3u8`, { atMs: clock.nowMs, speed, onPhase: setPhase });
  }, [recording, stream, owner, repo, clock, devices]);

  const words =
    recording === undefined
      ? "Of what is in memory, there are no pictures. They are in recordings of cameras that are recorded."
      : phase === "absent"
        ? `The recording has no pictures of ${stream} at this time. Cameras are recorded when “Record” is on in their panel.`
        : undefined;
  return (
    <div className="panel-root stream-panel" data-phase={phase === "playing" ? "playing" : "lost"} data-via="recording">
      <div className="panel-view stream-view">
        <video ref={video} muted playsInline aria-label={`The camera ${stream}, recorded`} />
        {words !== undefined && (
          <div className="panel-message stream-trouble" role="status">
            <h3>No video was recorded</h3>
            <p>{words}</p>
            <Button onClick={() => void devices.goLive()}>Show the camera live</Button>
          </div>
        )}
      </div>
      <p className="panel-status">
        <span>{stream}</span>
        <span>from the recording</span>
      </p>
    </div>
  );
}

type Playing = { atMs(): number; speed(): number; onPhase(phase: Phase): void };

/** Keeps a video at the time of the replay, until what is returned is called. */
function play(video: HTMLVideoElement, playlist: string, { atMs, speed, onPhase }: Playing): () => void {
  let hls: Hls | undefined;
  let firstMs: number | undefined;
  let lengthS = 0;
  let stillS: number | undefined;
  let isOver = false;

  void import("hls.js/light").then(({ default: Library }) => {
    if (isOver) return;
    if (!Library.isSupported()) return onPhase("absent");
    hls = new Library({ enableWorker: false, maxBufferLength: 10, backBufferLength: 20 });
    hls.on(Library.Events.LEVEL_LOADED, (_event, { details }) => {
      firstMs = details.fragments[0]?.programDateTime ?? undefined;
      lengthS = details.totalduration;
    });
    hls.on(Library.Events.ERROR, (_event, { fatal }) => fatal && onPhase("absent"));
    hls.attachMedia(video);
    hls.loadSource(playlist);
  });

  function follow(): void {
    if (firstMs === undefined || video.readyState === 0) return;
    const wantedS = (atMs() - firstMs) / 1_000;
    const rate = speed();
    onPhase(wantedS < 0 || wantedS > lengthS ? "absent" : video.readyState >= 2 ? "playing" : "loading");
    const atS = Math.min(Math.max(0, wantedS), Math.max(0, lengthS - END_S));
    if (video.seeking) return;
    if (rate === 0) {
      video.pause();
      // Once: the video may come to stand a little beside it, which is not a reason to go there again.
      if (atS !== stillS) video.currentTime = atS;
      stillS = atS;
      return;
    }
    stillS = undefined;
    const lateS = atS - video.currentTime;
    if (Math.abs(lateS) > JUMP_S * Math.max(1, rate)) video.currentTime = atS;
    const pull = Math.abs(lateS) < NEAR_S ? 0 : Math.min(MAX_PULL, Math.max(-MAX_PULL, lateS));
    const wanted = Math.min(16, Math.max(0.0625, rate * (1 + pull)));
    if (video.playbackRate !== wanted) video.playbackRate = wanted;
    if (video.paused) void video.play().catch(() => {});
  }
  const timer = setInterval(follow, SYNC_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
    hls?.destroy();
    video.removeAttribute("src");
  };
}
