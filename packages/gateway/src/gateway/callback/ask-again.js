// On the waiting pages: asks the gateway again until the application is back or the time is over. Every card that it may
// show at the end is already in the page, because the gateway may be gone by then.
{
  const asking = document.getElementById("asking");
  const { waitMs, everyMs, askMs, maxLength } = JSON.parse(asking.dataset.limits);
  const address = location.origin + location.pathname;
  const form = document.querySelector("form");
  // The only place where they are kept: leave-address.js, which runs next, removes them from the address.
  let parameters = new URLSearchParams(form ? new FormData(form) : location.search);
  let isAnswered = false;

  // By the clock: the timers of a hidden window are slowed down.
  const startedMs = performance.now();
  const waitedMs = () => performance.now() - startedMs;

  const status = document.querySelector("[role=status]");
  const show = (name, facts = {}) => {
    const card = document.getElementById(name).content.firstElementChild;
    for (const slot of card.querySelectorAll("[data-fact]")) {
      const fact = facts[slot.dataset.fact];
      // Same as plainText() on the server.
      const text = String(fact ?? "")
        .replace(/\p{Bidi_Control}/gu, "")
        .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
        .trim();
      slot.textContent = text.length > maxLength ? `${[...text].slice(0, maxLength - 1).join("")}…` : text;
      if (fact === undefined) {
        const value = slot.closest("dd");
        value.previousElementSibling.remove();
        value.remove();
      }
    }
    // The live region itself must stay for a screen reader to announce the change.
    const outcome = card.firstElementChild;
    outcome.remove();
    status.replaceChildren(...outcome.childNodes);
    while (status.nextSibling) status.nextSibling.remove();
    status.after(...card.childNodes);
    document.title = `${status.querySelector("h1").textContent} · Backplane`;
  };

  const outcomeOf = (code, body) => {
    if (code === 200 && body.status === "delivered") return "delivered";
    if (code === 200 && body.status === "declined") return body.error === "access_denied" ? "declined" : "refused";
    if (code === 410) return body.code === "state-used" ? "used" : "expired";
    if (code === 400) return body.code === "wrong-provider" ? "wrongProvider" : "malformed";
    return body.code === "unconfirmed" ? "unconfirmed" : undefined;
  };

  const ask = async () => {
    isAnswered = false;
    try {
      const response = await fetch(address, {
        method: "POST",
        body: parameters,
        headers: { accept: "application/json" },
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(askMs),
      });
      const body = await response.json();
      isAnswered = response.status === 404;
      const name = outcomeOf(response.status, body);
      const delivered = `${new Date().toTimeString().slice(0, 8)}, after ${Math.round(waitedMs() / 1000)} s`;
      return name && [name, { ...body, delivered }];
    } catch {
      // The gateway cannot be reached.
      return undefined;
    }
  };

  const wait = async () => {
    for (let nextMs = everyMs; nextMs <= waitMs; ) {
      await new Promise((resolve) => setTimeout(resolve, nextMs - waitedMs()));
      const result = await ask();
      if (result) return result;
      // The next full step; missed ones are skipped. A timer may also fire a little early.
      nextMs += everyMs * Math.max(1, Math.floor((waitedMs() - nextMs) / everyMs) + 1);
    }
    return [isAnswered ? "unknown" : "unreachable"];
  };

  show("asking");
  const meter = document.querySelector("[role=progressbar]");
  const left = document.querySelector("[data-left]");
  const paint = () => {
    const steps = Math.min(Math.round(waitedMs() / everyMs), meter.children.length);
    meter.ariaValueNow = steps;
    for (const [index, pin] of [...meter.children].entries()) pin.classList.toggle("on", index < steps);
    left.textContent = `${Math.round(waitMs - steps * everyMs) / 1000} s left`;
  };
  const painting = setInterval(paint, everyMs);
  document.addEventListener("visibilitychange", paint);

  wait().then(([name, facts]) => {
    clearInterval(painting);
    parameters = undefined;
    show(name, facts);
  });
}
