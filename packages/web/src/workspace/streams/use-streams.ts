import type { Streams } from "@backplane/contract/devices";
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { call, type Fault } from "../../calls/call.ts";
import type { WorkspaceName } from "../calls.ts";
import { streamsPath } from "./choose-stream.tsx";
import type { Player, PlayerState } from "./playback.ts";
import { openPlayer } from "./player.ts";

type Loaded = { list: Streams | undefined; fault: Fault | undefined };

/** The streams of the workspace, and again when asked for. */
export function useStreams({ owner, repo }: WorkspaceName): Loaded & { reload(): void } {
  const [loaded, setLoaded] = useState<Loaded>({ list: undefined, fault: undefined });
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `count` goes up to load it again
  useEffect(() => {
    const stop = new AbortController();
    void call<Streams>({ method: "GET", path: streamsPath({ owner, repo }), signal: stop.signal }).then((answer) => {
      if (stop.signal.aborted) return;
      setLoaded((before) =>
        answer.ok ? { list: answer.value, fault: undefined } : { ...before, fault: answer.fault },
      );
    });
    return () => stop.abort();
  }, [owner, repo, count]);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  return { ...loaded, reload };
}

const NOTHING = () => () => {};
const NONE = () => undefined;

/** A stream that plays in a video element for as long as both are there. */
export function usePlayer(path: string, video: RefObject<HTMLVideoElement | null>) {
  const [player, setPlayer] = useState<Player>();
  useEffect(() => {
    if (!video.current) return;
    const opened = openPlayer(path, video.current);
    setPlayer(opened);
    return () => opened.close();
  }, [path, video]);
  const state: PlayerState | undefined = useSyncExternalStore<PlayerState | undefined>(
    player?.onChange ?? NOTHING,
    player?.state ?? NONE,
  );
  return { player, state };
}
