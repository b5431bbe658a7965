// A form shows what its choices need (of a cluster its protocol, of a webhook its service); without a script it shows everything.

const form = document.querySelector("[data-choices]");
const choices = form.querySelectorAll("select");

function show() {
  const chosen = new Set([...choices].map((choice) => choice.value));
  for (const part of form.querySelectorAll("[data-for]")) {
    const hasError = part.querySelector(".is-invalid, .errorlist");
    part.hidden = !hasError && !part.dataset.for.split(" ").some((word) => chosen.has(word));
  }
}

choices.forEach((choice) => choice.addEventListener("change", show));
show();
