/** Whether a process with this id exists. A later process may have been given the id of one that has ended. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
