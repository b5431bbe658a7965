// Theme before the first paint: the server knows it from the cookie; without one, the system decides.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let kept = null;
  try { kept = localStorage.getItem("theme"); } catch { /* storage may be forbidden */ }
  const apply = (theme) => { root.dataset.bsTheme = root.dataset.theme = theme; }; // the second one: Django's admin

  if (!root.dataset.bsTheme) apply(["light", "dark"].includes(kept) ? kept : system.matches ? "dark" : "light");
  system.addEventListener("change", () => {
    if (document.cookie.includes("theme=")) return;
    apply(system.matches ? "dark" : "light");
    document.dispatchEvent(new CustomEvent("themechange", { detail: root.dataset.bsTheme }));
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = root.dataset.bsTheme === "dark" ? "light" : "dark";
    apply(theme);
    try { localStorage.setItem("theme", theme); } catch { /* the cookie is enough */ }
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    document.dispatchEvent(new CustomEvent("themechange", { detail: theme }));
  });
})();
