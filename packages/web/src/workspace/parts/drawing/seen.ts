/** Whether something of an element is in the window, and its tab is the one that is shown. Looking costs no layout. */
export function watchSeen(element: Element): { isSeen(): boolean; stop(): void } {
  const slot = element.closest<HTMLElement>(".slot");
  let isInWindow = true;
  const observer = new IntersectionObserver((entries) => {
    isInWindow = entries.at(-1)?.isIntersecting ?? isInWindow;
  });
  observer.observe(element);
  return {
    isSeen: () => isInWindow && !document.hidden && slot?.dataset.shown !== "false",
    stop: () => observer.disconnect(),
  };
}
