/** How many uploads run at once: in this process, and by one person. */
export function createUploadSlots({
  maxUploads,
  maxUploadsPerUser,
}: {
  maxUploads: number;
  maxUploadsPerUser: number;
}) {
  const perUser = new Map<string, number>();
  let count = 0;
  /** Undefined: there is no room now. Dispose it when the upload is over. */
  return (userId: string): Disposable | undefined => {
    const own = perUser.get(userId) ?? 0;
    if (count >= maxUploads || own >= maxUploadsPerUser) return undefined;
    count += 1;
    perUser.set(userId, own + 1);
    return {
      [Symbol.dispose]() {
        count -= 1;
        const left = (perUser.get(userId) ?? 1) - 1;
        if (left > 0) perUser.set(userId, left);
        else perUser.delete(userId);
      },
    };
  };
}
