export declare function isUnused(path: string): boolean;
export declare function removeUnused(nodeModules: string): void;
