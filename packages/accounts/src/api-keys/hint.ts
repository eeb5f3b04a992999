/** Its first and last characters: enough to recognise, nothing to use. */
export const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`;
