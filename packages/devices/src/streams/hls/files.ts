/** A file of an HLS stream: its playlist, or a part of the video. */
export type HlsFile = { type: string; bytes: Buffer };
/** Why a file cannot be had, in words. */
export type NoFile = { reason: string };

export const PLAYLIST = "index.m3u8";
export const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
