// "Share" follows the address: zoom and filters that changed since the page was loaded come along.
(() => {
  const passing = new Set(["record", "page", "after", "before", "offset", "copy", "what", "of"]);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-share]");
    if (!link) return;
    const address = new URL(link.href);
    if (address.searchParams.get("what") !== "tab") return;
    for (const name of [...address.searchParams.keys()]) {
      if (!passing.has(name)) address.searchParams.delete(name);
    }
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (!passing.has(name)) address.searchParams.set(name, value);
    }
    link.href = address;
  }, true);
})();

// "Copy for ticket with link": one click makes the link, waits for it, and copies the text in the markup chosen last.
(() => {
  const panel = () => document.getElementById("ticket-made");
  let markup = "markdown";
  try { markup = localStorage.getItem("ticket-markup") || markup; } catch { /* storage may be forbidden */ }
  const field = () => panel().querySelector(`#linked-${markup}`) ?? panel().querySelector("#linked-markdown");

  document.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-markup]");
    if (choice) choose(choice.dataset.markup);
    if (event.target.closest("[data-ticket-close]")) close();
    const button = event.target.closest("[data-ticket]");
    if (button) copyWithLink(button);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel() && !panel().hidden) close();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-of]");
    if (button && document.querySelector(button.dataset.copyOf + markup)) button.dataset.copy = button.dataset.copyOf + markup;
  }, true);

  function choose(name) {
    markup = name;
    try { localStorage.setItem("ticket-markup", name); } catch { /* this page remembers it */ }
  }

  function close() {
    panel().hidden = true;
    document.querySelector("[data-ticket]").focus();
  }

  async function copyWithLink(button) {
    if (button.getAttribute("aria-busy") === "true") return;
    panel().hidden = false;
    button.setAttribute("aria-busy", "true");
    // the clipboard is asked for at the click; a browser that gets the text only later would refuse it
    const isCopied = await window.copyText(made(button)).catch(() => null);
    button.removeAttribute("aria-busy");
    if (isCopied === null) return;
    panel().querySelector("[data-ticket-said]").textContent = isCopied
      ? `Copied: ${field().value.trim().split("\n").length} lines with a new link.`
      : "The browser did not allow copying. Select the text and copy it.";
    for (const text of panel().querySelectorAll("textarea")) text.hidden = text !== field();
    if (!isCopied) field().select();
  }

  function made(button) {
    return new Promise((resolve, reject) => {
      if (field()) return resolve(field().value);
      const look = () => {
        if (field()) resolve(field().value);
        else if (!panel().querySelector("[data-ticket-failed]")) return;
        else reject(new Error("The link could not be made."));
        document.body.removeEventListener("htmx:afterSwap", look);
      };
      document.body.addEventListener("htmx:afterSwap", look);
      document.body.addEventListener("htmx:responseError", reject, { once: true });
      window.htmx.ajax("POST", button.dataset.ticket, { source: button, target: "#ticket-made", swap: "innerHTML" });
    });
  }
})();
