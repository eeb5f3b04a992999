export declare function runChild(
  command: string,
  args: readonly string[],
  options?: { endGroup?: boolean },
): Promise<number>;
