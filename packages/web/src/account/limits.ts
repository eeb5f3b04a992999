/** As the contract has them; a test compares. */
export const MAX_LABEL_LENGTH = 80;
export const MAX_NAME_LENGTH = 39;
export const MAX_DISPLAY_NAME_LENGTH = 100;
