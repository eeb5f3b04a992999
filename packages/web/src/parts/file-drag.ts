/** Whether files are dragged, not a text or a tab. */
export const carriesFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes("Files") === true;
