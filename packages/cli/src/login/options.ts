/** What every command here takes, as commander names it. */
export type PlaceOptions = { url?: string; allowHttp?: boolean; json?: boolean };

export type LoginOptions = PlaceOptions & { name?: string; maxAge?: number; browser?: boolean };
