import type { TestContext } from "node:test";
import { type Camera, startCamera } from "@backplane/simulators";

/** Of 640 × 360. */
const SEQUENCE = Buffer.from("Z0LAHtoCgL/lwEQAAAMABAAAAwDyPFi6gA==", "base64");
export const PARAMETERS = [SEQUENCE, Buffer.from([0x68, 0xce, 0x3c, 0x80])];

/** 30 pictures per second, each second a key picture. They are of the right kind and show nothing. */
export async function openCameraForTest(t: TestContext): Promise<Camera> {
  const camera = await startCamera({
    ...{ port: 0, parameters: PARAMETERS },
    open(onPicture) {
      let number = 0;
      const timer = setInterval(() => {
        const isKey = number % 30 === 0;
        onPicture({ tMs: number * 33, isKey, units: [Buffer.alloc(isKey ? 9_000 : 900, isKey ? 0x65 : 0x61)] });
        number += 1;
      }, 33);
      return () => clearInterval(timer);
    },
  });
  t.after(() => camera.close());
  return camera;
}
