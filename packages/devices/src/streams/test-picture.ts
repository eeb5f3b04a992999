export const TEST_FPS = 30;
const TEST_SIZE = { width: 640, height: 360 } as const;
/** The number of the picture, as this many squares from the left, the lowest bit first: white is 1. */
const TEST_BITS = 16;
const TEST_SQUARE = 20;

/** ffmpeg's arguments for the test picture, at the pace at which a camera would make it. */
export function testPicture(): string[] {
  const { width, height } = TEST_SIZE;
  const bar = `drawbox=x=0:y=0:w=${TEST_BITS * TEST_SQUARE}:h=${TEST_SQUARE}:t=fill:color=black`;
  const squares = Array.from(
    { length: TEST_BITS },
    (_, i) =>
      `drawbox=x=${i * TEST_SQUARE}:y=0:w=${TEST_SQUARE}:h=${TEST_SQUARE}:t=fill:color=white:enable='mod(floor(n/${2 ** i})\\,2)'`,
  );
  const picture = [`testsrc2=size=${width}x${height}:rate=${TEST_FPS}`, bar, ...squares].join(",");
  return ["-re", "-f", "lavfi", "-i", picture];
}
