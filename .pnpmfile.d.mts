export declare const hooks: { beforePacking(manifest: unknown): object }
