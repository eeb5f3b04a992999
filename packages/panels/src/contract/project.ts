import { type Static, Type } from "typebox";
import { PANELS_LIMITS } from "./limits.ts";

/** GET …/current/files */
export type ProjectFile = { path: string; size: number; modifiedAt: string };
export type FileList = { files: ProjectFile[]; truncated: boolean };

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const NewLogEntry = Type.Object({
  level: Type.Optional(Type.Union(LOG_LEVELS.map((level) => Type.Literal(level)))),
  source: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,39}$" })),
  message: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxLogMessageLength }),
});
export type NewLogEntry = Static<typeof NewLogEntry>;
export type LogEntry = { id: number; at: string; level: LogLevel; source: string; message: string };
