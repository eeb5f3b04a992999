import { createFfmpeg, testPicture } from "@backplane/devices/cameras";
import { type Camera, type CameraOptions, startCamera } from "./serve.ts";

/** As many cameras are set when they are bought: pictures that refer to later ones. */
const WITH_B_FRAMES = [
  ...["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "main", "-pix_fmt", "yuv420p", "-threads", "1"],
  ...["-b:v", "1000k", "-g", "30", "-bf", "2", "-b_strategy", "0"],
];

export type TestCameraOptions = Pick<CameraOptions, "host" | "port" | "user" | "password"> & {
  /** Browsers do not play it by WebRTC. */
  hasBFrames?: boolean;
  /** ffmpeg has ended, or is not there. */
  onEnded?(reason: string): void;
};

/** A camera that shows the test picture, with its number as squares. It needs ffmpeg. */
export async function startTestCamera({ hasBFrames = false, onEnded, ...options }: TestCameraOptions): Promise<Camera> {
  const ffmpeg = createFfmpeg(Date.now);
  return startCamera({
    ...options,
    open(onPicture) {
      const codec = hasBFrames ? WITH_B_FRAMES : undefined;
      const events = { picture: onPicture, ended: (reason: string) => onEnded?.(reason) };
      const encoding = ffmpeg.encode(testPicture(), events, codec);
      return () => encoding.close();
    },
  });
}
