export declare function builtProgram(name: string): string | undefined;
