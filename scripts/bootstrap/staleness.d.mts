export type InstallState = {
  /** Text of package-lock.json. */
  lock: string;
  /** Whether the packages for development are needed too. */
  withDev: boolean;
  /** Text of npm's own record inside node_modules. */
  hidden: string | undefined;
  /** The version of Node that is installed. */
  node: string | undefined;
  stamp: string | undefined;
  wantedStamp: string;
  exists: (path: string) => boolean;
};
export declare const ONLY_RUNS: string;
export declare function nodePackage(machine: { platform: string; arch: string }): string;
export declare function nodeVersion(lock: string): string;
export declare function reasonToInstall(state: InstallState): string | undefined;
export declare function requiredPackages(
  lock: string,
  withDev: boolean,
): [path: string, entry: { version?: string; dev?: boolean; link?: boolean }][];
export declare function hashFiles(root: string, paths: readonly string[]): string;
export declare function changedSince(root: string, paths: readonly string[], sinceMs: number): boolean;
export declare function hashText(text: string): string;
