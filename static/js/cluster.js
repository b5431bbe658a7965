// The form of a cluster shows what the chosen protocol and mechanism need; without a script it shows everything.

const form = document.querySelector("[data-cluster-form]");

function show() {
  const chosen = new Set([form.elements.protocol.value, form.elements.mechanism.value]);
  for (const part of form.querySelectorAll("[data-for]")) {
    const hasError = part.querySelector(".is-invalid, .errorlist");
    part.hidden = !hasError && !part.dataset.for.split(" ").some((word) => chosen.has(word));
  }
}

form.elements.protocol.addEventListener("change", show);
form.elements.mechanism.addEventListener("change", show);
show();
