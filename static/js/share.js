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
