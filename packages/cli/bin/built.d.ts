export declare function isClone(root?: string): boolean;
export declare function programInputs(root?: string): string[];
export declare function builtProgram(name: string, root?: string): string | undefined;
export declare function compileCache(root?: string): string;
export declare function lastBuilt(name: string, root?: string): string;
