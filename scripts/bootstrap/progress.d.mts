export type Progress = { unit: string; total: number; done: () => number };
export declare function showProgress(
  stream: { isTTY?: boolean; write(text: string): unknown },
  what: string,
  progress: Progress | undefined,
  work: () => Promise<void>,
  now?: () => number,
): Promise<void>;
export declare function drawBar(progress: Progress): string;
