export declare function withLock<T>(file: string, what: string, work: () => Promise<T>): Promise<T>;
