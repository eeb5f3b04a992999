export declare function programInputs(root?: string): string[];
export declare function builtProgram(name: string, root?: string): string | undefined;
