// On every page: removes the provider's parameters from the address bar and the history (RFC 9700, 4.3.1).
history.replaceState(null, "", location.origin + location.pathname);

// Only the browser knows the reader's time zone.
for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toTimeString().slice(0, 8);
}
