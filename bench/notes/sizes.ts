export const OPERATIONS_PER_BATCH = 200;
/** Rows that point reads choose from. */
export const STORED_NOTES = 10_000;
/** As many as our durable pool has connections. */
export const IN_FLIGHT = 8;
/** As in the kit: connections for durable rows, and for short-lived ones. */
export const DURABLE_CONNECTIONS = 8;
export const SHORT_LIVED_CONNECTIONS = 4;
