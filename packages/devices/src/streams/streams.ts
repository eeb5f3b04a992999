import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { DEVICES_LIMITS, type StreamStatus, type TriedStream } from "@backplane/contract/devices";
import type { Bus } from "@backplane/kit/bus";
import type { Access, FollowAccess } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import type { Leave } from "./audience.ts";
import { type HlsFile, type NoFile, PLAYLIST } from "./hls/files.ts";
import { createRelay } from "./hls/relay.ts";
import { createTape } from "./hls/tape.ts";
import { openHlsViewers } from "./hls/viewers.ts";
import { onlyPlayable, type StreamAdapter } from "./kinds.ts";
import type { Media } from "./media.ts";
import type { Picture } from "./picture.ts";
import { createPuller, type Pulled, type PullerOptions } from "./puller.ts";
import { createPushDesk, type Pushing } from "./push/desk.ts";
import { readKeptKey } from "./push/key.ts";
import type { StreamEvents, StreamTools } from "./source.ts";
import type { StoredStream } from "./store.ts";

const { maxViewersOfStream, maxViewers, maxViewersHere, maxViewersPerPerson } = DEVICES_LIMITS;
const { maxPushers, maxPushersPerPerson, maxPushersHere } = DEVICES_LIMITS;
const { maxPulled, maxPulledPerPerson, maxHlsBytes, maxHlsBytesHere, maxHlsPartMs } = DEVICES_LIMITS;
const CHANNEL = "devices:streams";
/** What another instance said of a stream is forgotten after this; it says it again before. */
const HEARD_MS = 15_000;
const SAY_MS = 5_000;

/** What the instances tell each other. */
type News =
  | { about: "changed"; workspaceId: string; name?: string }
  | { about: "ended"; workspaceId: string; viewer: string }
  | { about: "status"; workspaceId: string; name: string; from: string; status: StreamStatus; viewers: number };

export type Watching = { viewer: string; answer: string };

/** The streams that are looked at, on this instance; and how others are doing. */
export type StreamBook = {
  watch(workspaceId: string, stream: StoredStream, offer: string, access: Access): Promise<Watching>;
  /** Look by HLS: the name of the viewer, for `hlsFile`. It ends with the access, or when it asks for nothing any more. */
  watchHls(workspaceId: string, stream: StoredStream, access: Access): Promise<string>;
  /** On whichever instance the viewer is. Undefined: there is none of this name, or none any more. */
  hlsFile(workspaceId: string, name: string, viewer: string, file: string): Promise<HlsFile | NoFile | undefined>;
  /** Gets its pictures from the next key picture on, until `end`; `isOver`: it was changed or removed. */
  record(workspaceId: string, stream: StoredStream, take: (picture: Picture) => void, payer: string): Recorded;
  /** Somebody sends pictures to a stream, until `end`, or until the stream is changed or removed. */
  push(workspaceId: string, stream: StoredStream, offer: string): Promise<Pushing>;
  tryOut(workspaceId: string, stream: StoredStream, access: Access): Promise<TriedStream>;
  now(workspaceId: string, name: string): { status: StreamStatus; viewers: number };
  /** Of a viewer or pusher, on whichever instance it is. */
  end(workspaceId: string, viewer: string): Promise<void>;
  /** One was changed or removed, or all of the workspace: whoever looks is asked to connect again. */
  changed(workspaceId: string, name?: string): Promise<void>;
  /** The same of all of a workspace, only on this instance. */
  endHere(workspaceId: string): void;
  /** Whether somebody looks at streams of the workspace, records or pushes them, on this instance. */
  isUsed(workspaceId: string): boolean;
  pulled(): number;
  viewers(): number;
  close(): Promise<void>;
};

export type Recorded = { end(): void; isOver(): boolean };
type Viewer = { workspaceId: string; key: string; end(): void };

export async function openStreamBook(options: {
  adapters: readonly StreamAdapter[];
  tools: StreamTools;
  media: Media;
  bus: Pick<Bus, "publish" | "subscribe" | "request" | "respond">;
  followAccess: FollowAccess;
  now: Clock;
  note(workspaceId: string, level: "info" | "warn", message: string): void;
  onFault(error: unknown): void;
}): Promise<StreamBook> {
  const { adapters, tools, media, bus, followAccess, now, note, onFault } = options;
  const instance = randomUUID();
  const pullers = new Map<string, Pulled>();
  const viewers = new Map<string, Viewer>();
  /** Of pictures that are recorded, by stream. */
  const recorders = new Map<string, Set<(picture: Picture) => void>>();
  const heard = new Map<string, { status: StreamStatus; viewers: number; atMs: number }>();
  const ofStream = createSlots(maxViewersOfStream, maxViewersHere);
  const ofWorkspace = createSlots(maxViewers, maxViewersHere);
  const ofPerson = createSlots(maxViewersPerPerson, maxViewersHere);
  /** Whoever looks first: one person does not take the streams of everybody. */
  const pulledFor = createSlots(maxPulledPerPerson, maxPulled);
  const releases = new Map<string, () => void>();
  const pushedTo = createSlots(maxPushers, maxPushersHere);
  const pushedFor = createSlots(maxPushersPerPerson, maxPushersHere);
  const pushes = createPushDesk(media, (key) => pullers.get(key)?.again());
  let isClosed = false;
  const keyOf = (workspaceId: string, name: string) => `${workspaceId} ${name}`;

  function say(news: News): void {
    bus.publish(CHANNEL, news).catch(onFault);
  }
  function sayStatus(key: string, puller: Pulled | undefined): void {
    const [workspaceId = "", name = ""] = key.split(" ");
    const status = puller?.status() ?? { state: "idle" };
    say({ about: "status", workspaceId, name, from: instance, status, viewers: puller?.viewers() ?? 0 });
  }
  const saying = setInterval(() => {
    for (const [key, puller] of pullers) sayStatus(key, puller);
    for (const [key, { atMs }] of heard) if (now() - atMs > HEARD_MS) heard.delete(key);
  }, SAY_MS).unref();

  /** An instance that is being stopped is asked by others until its workspaces are free. */
  function expectOpen(): void {
    if (isClosed) throw new Problem("not-ready", { detail: "This instance is being stopped. Try again shortly." });
  }

  /** `payer`: the person who looks or records, whose room it takes. */
  function pullerOf(workspaceId: string, stream: StoredStream, payer: string): Pulled {
    expectOpen();
    const key = keyOf(workspaceId, stream.name);
    const running = pullers.get(key);
    if (running) return running;
    const adapter = adapters.find(({ kind }) => kind === stream.kind);
    if (!adapter)
      throw new Problem("stream-unavailable", { detail: "This version does not know this kind of stream." });
    const room = `This server gets at most ${maxPulled} streams, ${maxPulledPerPerson} of them for one person.`;
    releases.set(key, takeSlot(pulledFor.take(payer), room));
    const reports: Pick<PullerOptions, "now" | "onStatus" | "onEnd"> = {
      now,
      onStatus(status) {
        if (status.state === "refused") note(workspaceId, "warn", `The stream ${stream.name}: ${status.reason}`);
        sayStatus(key, puller);
      },
      onEnd: () => forget(key),
    };
    const maxBytes = () => Math.min(maxHlsBytes, maxHlsBytesHere / pullers.size);
    const puller: Pulled =
      "playlist" in adapter
        ? createRelay({
            ...{ ...adapter.playlist(stream.settings, stream.secrets), network: tools.network, maxBytes },
            ...reports,
          })
        : pullPictures((events) => openPictures(adapter, key, stream, events), key, maxBytes, reports);
    pullers.set(key, puller);
    return puller;
  }
  function openPictures(adapter: StreamAdapter, key: string, stream: StoredStream, events: StreamEvents) {
    if ("open" in adapter) return adapter.open(stream.settings, stream.secrets, tools, events);
    // One that is refused goes on to push: whoever looks next sees whether it has changed.
    const opened = pushes.open(
      key,
      onlyPlayable(events, () => opened.close()),
    );
    return opened;
  }
  function pullPictures(
    open: PullerOptions["open"],
    key: string,
    maxBytes: () => number,
    reports: Omit<PullerOptions, "open" | "onPicture">,
  ): Pulled {
    const tape = createTape(maxBytes);
    const puller = createPuller({
      ...{ ...reports, open },
      onPicture(picture) {
        media.picture(key, picture);
        tape.take(picture);
        for (const take of recorders.get(key) ?? []) take(picture);
      },
    });
    const file = async (name: string) => {
      // Players take a list without parts for a fault.
      if (name === PLAYLIST) await Promise.race([tape.ready, setTimeout(maxHlsPartMs, undefined, { ref: false })]);
      return tape.file(name);
    };
    return { ...puller, file, longestMs: tape.longestMs };
  }
  function forget(key: string): void {
    pullers.get(key)?.close();
    pullers.delete(key);
    releases.get(key)?.();
    releases.delete(key);
    media.forget(key);
    sayStatus(key, undefined);
  }

  function endHere({ workspaceId, name }: { workspaceId: string; name?: string | undefined }): void {
    const isMeant = (key: string) =>
      name === undefined ? key.startsWith(`${workspaceId} `) : key === keyOf(workspaceId, name);
    for (const viewer of [...viewers.values()]) if (isMeant(viewer.key)) viewer.end();
    for (const key of [...pullers.keys()]) if (isMeant(key)) forget(key);
    pushes.end(isMeant);
  }

  const hls = await openHlsViewers({ bus, instance });
  const unsubscribe = await bus.subscribe(CHANNEL, (message) => {
    const news = message as News;
    if (news.about === "changed") endHere(news);
    else if (news.about === "ended") {
      const viewer = viewers.get(news.viewer);
      if (viewer?.workspaceId === news.workspaceId) viewer.end();
      pushes.end((key, pusher) => pusher === news.viewer && key.startsWith(`${news.workspaceId} `));
    } else if (news.from !== instance) {
      const key = keyOf(news.workspaceId, news.name);
      if (news.status.state === "idle") heard.delete(key);
      else heard.set(key, { status: news.status, viewers: news.viewers, atMs: now() });
    }
  });

  /** Somebody begins to look: within the limits, for as long as the access lasts, and when there is a picture. */
  async function admit(
    viewer: string,
    { workspaceId, stream, access }: { workspaceId: string; stream: StoredStream; access: Access },
    onEnd: () => void,
  ): Promise<{ pulled: Pulled; end: Leave; isOver(): boolean }> {
    const key = keyOf(workspaceId, stream.name);
    const ends: Leave[] = [onEnd];
    let isOver = false;
    const end: Leave = (wasSilent) => {
      isOver = true;
      viewers.delete(viewer);
      for (const one of ends.splice(0).reverse()) one(wasSilent);
    };
    try {
      ends.push(takeSlot(ofWorkspace.take(workspaceId), `A workspace has at most ${maxViewers} viewers.`));
      ends.push(takeSlot(ofStream.take(key), `A stream has at most ${maxViewersOfStream} viewers.`));
      const ofOne = ofPerson.take(access.userId);
      ends.push(takeSlot(ofOne, `A person has at most ${maxViewersPerPerson} viewers.`));
      const pulled = pullerOf(workspaceId, stream, access.userId);
      const joined = pulled.join();
      ends.push(joined.leave);
      viewers.set(viewer, { workspaceId, key, end });
      const stopFollowing = await followAccess(access, () => end());
      if (!stopFollowing) throw new Problem("not-signed-in");
      ends.push(stopFollowing);
      const status = await joined.ready;
      if (status.state !== "playing") throw refusalOf(status);
      if (isOver)
        throw new Problem("stream-unavailable", { detail: "The stream was changed or ended meanwhile. Try again." });
      return { pulled, end, isOver: () => isOver };
    } catch (error) {
      end();
      throw error;
    }
  }

  async function watch(workspaceId: string, stream: StoredStream, offer: string, access: Access): Promise<Watching> {
    const viewer = randomUUID();
    if (adapters.some((adapter) => adapter.kind === stream.kind && "playlist" in adapter))
      throw new Problem("stream-unavailable", { detail: ONLY_HLS });
    const { end } = await admit(viewer, { workspaceId, stream, access }, () => media.end(viewer));
    try {
      const answer = await media.watch(viewer, keyOf(workspaceId, stream.name), offer, end);
      if (answer === undefined)
        throw new Problem("malformed-request", { detail: "The offer cannot be answered. Offer one video to receive." });
      return { viewer, answer };
    } catch (error) {
      end();
      throw error;
    }
  }

  return {
    watch,
    async watchHls(workspaceId, stream, access) {
      const viewer = hls.newViewer();
      const { pulled, end, isOver } = await admit(viewer, { workspaceId, stream, access }, () => hls.remove(viewer));
      if (!isOver()) hls.add(viewer, { key: keyOf(workspaceId, stream.name), pulled, end });
      return viewer;
    },
    record(workspaceId, stream, take, payer) {
      const key = keyOf(workspaceId, stream.name);
      const viewer = randomUUID();
      const { leave } = pullerOf(workspaceId, stream, payer).join();
      const takers = recorders.get(key) ?? new Set();
      recorders.set(key, takers.add(take));
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        viewers.delete(viewer);
        takers.delete(take);
        if (takers.size === 0) recorders.delete(key);
        leave();
      };
      viewers.set(viewer, { workspaceId, key, end });
      return { end, isOver: () => isOver };
    },
    async push(workspaceId, stream, offer) {
      expectOpen();
      const releases = [pushedTo.take(workspaceId), pushedFor.take(readKeptKey(stream, workspaceId).payer)];
      const release = () => {
        for (const one of releases) one?.();
      };
      if (releases.includes(undefined)) {
        release();
        throw new Problem("too-many-of-these", { detail: TOO_MANY_PUSHERS });
      }
      const begun = await pushes.begin(keyOf(workspaceId, stream.name), offer, release);
      if (!begun)
        throw new Problem("malformed-request", { detail: "The offer cannot be answered. Offer one video to send." });
      return begun;
    },
    hlsFile: (workspaceId, name, viewer, file) => hls.file(keyOf(workspaceId, name), viewer, file),
    async tryOut(workspaceId, stream, access) {
      const fromMs = now();
      const joined = pullerOf(workspaceId, stream, access.userId).join();
      try {
        const status = await joined.ready;
        return { ...status, tookMs: Math.max(0, Math.round(now() - fromMs)) };
      } finally {
        joined.leave();
      }
    },
    now(workspaceId, name) {
      const key = keyOf(workspaceId, name);
      const puller = pullers.get(key);
      const others = heard.get(key);
      const status: StreamStatus = puller?.status() ?? others?.status ?? { state: "idle" };
      return { status, viewers: (puller?.viewers() ?? 0) + (others?.viewers ?? 0) };
    },
    async end(workspaceId, viewer) {
      await bus.publish(CHANNEL, { about: "ended", workspaceId, viewer } satisfies News);
    },
    async changed(workspaceId, name) {
      endHere({ workspaceId, name });
      await bus.publish(CHANNEL, {
        about: "changed",
        workspaceId,
        ...(name === undefined ? {} : { name }),
      } satisfies News);
    },
    endHere: (workspaceId) => endHere({ workspaceId }),
    isUsed: (workspaceId) =>
      [...pullers.keys()].some((key) => key.startsWith(`${workspaceId} `)) || pushes.isUsed(`${workspaceId} `),
    pulled: () => pullers.size,
    viewers: () => viewers.size,
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(saying);
      await unsubscribe();
      await hls.close();
      for (const viewer of [...viewers.values()]) viewer.end();
      pushes.end(() => true);
      for (const puller of pullers.values()) puller.close();
      pullers.clear();
      await media.close();
    },
  };
}

const ONLY_HLS = "This stream comes as HLS, which is not played by WebRTC. Open it in the panel Live stream.";

const TOO_MANY_PUSHERS = `Pictures are pushed to at most ${maxPushers} streams of a workspace, ${maxPushersPerPerson} with the keys of one person, and ${maxPushersHere} of a server. Stop one that is no longer used.`;

const tooMany = (detail: string) =>
  new Problem("too-many-of-these", { detail: `${detail} Close a panel that shows one.` });

function takeSlot(release: (() => void) | undefined, detail: string): () => void {
  if (!release) throw tooMany(detail);
  return release;
}

const refusalOf = ({ fault, reason = "There is no picture." }: StreamStatus): Problem =>
  new Problem(fault === "codec" ? "codec-refused" : "stream-unavailable", { detail: reason });
