// The form of a capture shows the offset or the time that the choice beside it asks for; without a script it shows both.

const form = document.querySelector("[data-capture-form]");

function show() {
  for (const part of form.querySelectorAll("[data-for]")) {
    const [choice, value] = part.dataset.for.split(" ");
    part.hidden = form.elements[choice].value !== value && !part.querySelector(".is-invalid");
  }
}

form.elements.start_at.addEventListener("change", show);
form.elements.end_at.addEventListener("change", show);
show();
