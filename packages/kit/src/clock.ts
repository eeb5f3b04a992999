/** Milliseconds since the epoch. Whatever expires takes one, so that tests own the time. */
export type Clock = () => number;
