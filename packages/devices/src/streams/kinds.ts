import { Type } from "typebox";
import { settingsWith } from "../sources/settings.ts";
import { openConverter } from "./convert.ts";
import { isBidirectional, profileOf } from "./h264.ts";
import type { Picture } from "./picture.ts";
import { openRtsp } from "./rtsp/client.ts";
import type { OpenStream, StreamEvents } from "./source.ts";
import { TEST_FPS, testPicture } from "./test-picture.ts";
import { openForeignWhep } from "./webrtc/foreign-whep.ts";

/** A kind of stream. Settings with `writeOnly` are kept apart, and are never shown again. */
export type StreamAdapter = {
  kind: string;
  name: string;
  description: string;
  needsFfmpeg: boolean;
  settings: Type.TObject;
} & (
  | { open: OpenStream }
  /** Its video is HLS already and is passed on as it is. */
  | { playlist(settings: Record<string, unknown>, secrets: Readonly<Record<string, string>>): HlsPlace }
  /** Somebody sends it to us. Its only secret is the hash of the key for that. */
  | { isPushed: true }
);

export type HlsPlace = { address: string; token: string | undefined };

const RECORD = Type.Boolean({
  title: "Record this camera",
  description: "Its pictures are part of recordings: while one is made, the camera is connected",
  default: false,
});

const test: StreamAdapter = {
  kind: "test",
  name: "Test camera",
  description: `A moving picture of ${TEST_FPS} frames per second with its number as squares, made by ffmpeg`,
  needsFfmpeg: true,
  settings: settingsWith({ record: RECORD }),
  open(_settings, _secrets, { ffmpeg }, events) {
    events.codec({ name: "H.264", profile: "baseline" });
    return ffmpeg.encode(testPicture(), events);
  },
};

const rtsp: StreamAdapter = {
  kind: "rtsp",
  name: "RTSP camera",
  description: "A camera or recorder in the network. H.264 is passed on as it is; H.265 can be converted by ffmpeg",
  needsFfmpeg: false,
  settings: settingsWith({
    address: Type.String({
      title: "Address",
      description: "As the manual of the camera says, without user name and password",
      pattern: "^rtsps?://[^\\s@]{1,1000}$",
      maxLength: 1_024,
      examples: ["rtsp://192.168.1.60/stream1"],
    }),
    user: Type.Optional(Type.String({ title: "User", description: "If the camera wants one", maxLength: 128 })),
    password: Type.Optional(
      Type.String({ title: "Password", description: "Is kept on the server", maxLength: 256, writeOnly: true }),
    ),
    convert: Type.Boolean({
      title: "Convert here",
      description: "To H.264 without B-frames, by ffmpeg on the server; a large picture takes about one core",
      default: false,
    }),
    record: RECORD,
  }),
  open({ address, user, convert }, { password }, tools, events) {
    const credentials = typeof user === "string" ? { user, password: password ?? "" } : undefined;
    const place = { address: address as string, credentials };
    if (convert === true) return openConverter(tools, place, events);
    const opened = openRtsp(
      tools.network,
      place,
      onlyPlayable(events, () => opened.close()),
    );
    return opened;
  },
};

const TOKEN = Type.Optional(
  Type.String({
    title: "Token",
    description: "If the server wants one: sent as a bearer token, and kept on this server",
    maxLength: 4_096,
    pattern: "^[\\x21-\\x7e]*$",
    writeOnly: true,
  }),
);

const whep: StreamAdapter = {
  kind: "whep",
  name: "WHEP address",
  description: "A stream that another server has by WebRTC, in H.264. Backplane looks at it once, and passes it on",
  needsFfmpeg: false,
  settings: settingsWith({
    address: Type.String({
      title: "Address",
      description: "For WHEP, as that server says, without user name and password",
      pattern: "^https?://[^\\s@]{1,1000}$",
      maxLength: 1_024,
      examples: ["https://media.example.org/bench/whep"],
    }),
    token: TOKEN,
    record: RECORD,
  }),
  open({ address }, { token }, tools, events) {
    const opened = openForeignWhep(
      tools,
      { address: address as string, token },
      onlyPlayable(events, () => opened.close()),
    );
    return opened;
  },
};

const hls: StreamAdapter = {
  kind: "hls",
  name: "HLS address",
  description:
    "A stream that another server has as HLS, such as a recorder or a media server. Plays in the panel Live stream",
  needsFfmpeg: false,
  settings: settingsWith({
    address: Type.String({
      title: "Address",
      description: "Of its playlist, without user name and password",
      pattern: "^https?://[^\\s@]{1,1000}$",
      maxLength: 1_024,
      examples: ["https://media.example.org/bench/index.m3u8"],
    }),
    token: TOKEN,
  }),
  playlist: ({ address }, { token }) => ({ address: address as string, token }),
};

const whip: StreamAdapter = {
  kind: "whip",
  name: "Pushed by WHIP",
  description:
    "A program or camera sends its pictures here, in H.264, with a key that is shown once. For what cannot be reached from here",
  needsFfmpeg: false,
  settings: settingsWith({ record: RECORD }),
  isPushed: true,
};

/** What browsers play by WebRTC: H.264 without B-frames. */
export function onlyPlayable(events: StreamEvents, close: () => void): StreamEvents {
  let profile: string | undefined;
  let isRefused = false;
  function refuse(codec: string): void {
    isRefused = true;
    close();
    events.refused(codec);
  }
  return {
    ...events,
    codec(codec) {
      if (codec.name === "H.264") events.codec(codec);
      else refuse(codec.name);
    },
    picture(picture: Picture) {
      if (isRefused) return;
      const found = picture.isKey ? picture.units.map(profileOf).find((one) => one !== undefined) : undefined;
      if (found !== undefined && found !== profile) {
        profile = found;
        events.codec({ name: "H.264", profile });
      }
      if (picture.units.some(isBidirectional)) refuse("H.264 with B-frames");
      else events.picture(picture);
    },
  };
}

export const STREAM_ADAPTERS: readonly StreamAdapter[] = [test, rtsp, whep, hls, whip];
