// Small things every page does: confirm dialogues, toasts, forms that send themselves.
(() => {
  window.toast = (text, level = "info") => {
    const box = document.createElement("div");
    box.className = `alert alert-${level} toast-note`;
    box.setAttribute("role", level === "danger" ? "alert" : "status");
    box.textContent = text;
    document.getElementById("toasts").append(box);
    setTimeout(() => box.remove(), level === "danger" ? 12000 : 5000);
  };

  document.addEventListener("htmx:responseError", (event) => {
    const text = event.detail.xhr.responseText;
    const isSentence = text && text.length < 400 && !text.includes("<");
    window.toast(isSentence ? text : `The server answered ${event.detail.xhr.status}. Reload the page and try again.`, "danger");
  });
  document.addEventListener("saved", () => window.toast("Saved."));

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-dialog]");
    if (opener) document.getElementById(opener.dataset.dialog)?.showModal();
    const closer = event.target.closest("[data-close-dialog]");
    if (closer) closer.closest("dialog")?.close();
  });
  // menus open without a script; with one they close like menus
  const openMenus = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit-on-change]")) event.target.form.requestSubmit();
  });
  // nothing is sent twice by an impatient double click
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button && event.target.method === "post" && !("downloads" in button.dataset)) setTimeout(() => { button.disabled = true; }, 0);
  });
  // where a narrow window makes cards of rows, each cell names its column
  document.addEventListener("htmx:load", (event) => {
    const inside = event.detail.elt.closest("table.folds");
    for (const table of inside ? [inside] : event.detail.elt.querySelectorAll("table.folds")) {
      const columns = [...table.tHead.rows[0].cells].map((cell) => (cell.querySelector(".visually-hidden") ? "" : (cell.innerText || cell.textContent).trim())); // innerText is empty in a closed fold
      for (const row of table.tBodies[0].rows) {
        for (const [place, cell] of [...row.cells].entries()) if (place && columns[place] && !cell.dataset.column) cell.dataset.column = columns[place];
      }
    }
  });
  // where tabs scroll, the open one is in view, and an end behind which there are more fades
  document.addEventListener("DOMContentLoaded", () => {
    for (const strip of document.querySelectorAll(".report-tabs, .review-presets")) {
      const tab = strip.querySelector(".nav-link.active")?.getBoundingClientRect();
      strip.addEventListener("scroll", () => strip.classList.toggle("is-scrolled", strip.scrollLeft > 0));
      if (tab) strip.scrollLeft += tab.left - strip.getBoundingClientRect().left - (strip.clientWidth - tab.width) / 2;
    }
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const button of document.querySelectorAll("form button:disabled")) button.disabled = false;
  });
})();
