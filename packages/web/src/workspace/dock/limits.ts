/** As the contract has them; a test compares. */
export const MAX_NAME_LENGTH = 120;
export const MIN_RATIO = 0.05;
