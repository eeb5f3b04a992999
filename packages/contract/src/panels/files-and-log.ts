import { type Static, Type } from "typebox";
import { LOG_LEVEL } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

/** GET …/current/files */
export const ProjectFile = Type.Object({ path: Type.String(), size: Type.Integer(), modifiedAt: Type.String() });
export type ProjectFile = Static<typeof ProjectFile>;
export const FileList = Type.Object({ files: Type.Array(ProjectFile), truncated: Type.Boolean() });
export type FileList = Static<typeof FileList>;

const LOG_SOURCE = Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,39}$" });

/** POST …/current/log: one entry, or several as `entries`. */
export const NewLogEntry = Type.Object({
  level: Type.Optional(LOG_LEVEL),
  source: Type.Optional(LOG_SOURCE),
  message: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxLogMessageLength }),
});
export type NewLogEntry = Static<typeof NewLogEntry>;
export const NewLogEntries = Type.Object(
  {
    ...Type.Partial(NewLogEntry).properties,
    entries: Type.Optional(Type.Array(NewLogEntry, { minItems: 1, maxItems: PANELS_LIMITS.maxLogEntriesPerCall })),
  },
  { examples: [{ level: "info", source: "bench-agent", message: "Reflow profile loaded" }] },
);
export type NewLogEntries = Static<typeof NewLogEntries>;
/** GET …/current/log */
export const LogQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: "Only lines after the one with this id",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PANELS_LIMITS.maxLogEntries })),
  level: Type.Optional(LOG_LEVEL),
  source: Type.Optional(LOG_SOURCE),
  q: Type.Optional(
    Type.String({ maxLength: PANELS_LIMITS.maxLogSearchLength, description: "Part of the message, in any case" }),
  ),
});
export type LogQuery = Static<typeof LogQuery>;
export const LogEntry = Type.Object({
  ...{ id: Type.Integer(), at: Type.String(), level: LOG_LEVEL, source: Type.String(), message: Type.String() },
});
export type LogEntry = Static<typeof LogEntry>;
export const LogEntries = Type.Object({ entries: Type.Array(LogEntry) });
