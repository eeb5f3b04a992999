export declare const root: string;
export declare const projectNode: string;
export declare function refuseUnsupported(machine: { platform: string; version: string }): string | undefined;
export declare function ensureInstalled(options: { withDev: boolean }): Promise<void>;
export declare function ensureBuilt(): Promise<void>;
