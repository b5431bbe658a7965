// Three steps through the report of a sample, each beside the real thing: the headline, a proof, the bytes of its record.
// It starts once by itself, and again when asked; it dims nothing and Esc leaves it at any time.
(() => {
  const SEEN = "journalscope-tour";
  const proof = () => [".victims", ".incident-proof", ""].map((place) => document.querySelector(`section.incident ${place} [data-record]`)).find(Boolean);
  const bytes = () => [...document.querySelectorAll("#record-drawer-body pre.hex")].at(-1) ?? document.querySelector("#record-drawer-body .record-head");
  const STEPS = [
    { target: () => document.getElementById("verdict-sentence"), text: "The headline says what is broken, and for whom. A ticket can quote it." },
    { target: proof, text: "Each sentence has its proof: the offsets of the records that show it." },
    { target: bytes, before: openProof, text: "An offset opens its record: decoded, as text and in hex, down to the byte." },
  ];
  let step = -1;
  let box = null;
  let opener = null;

  // storage may be forbidden: then the tour only starts when asked
  function isSeen() {
    try { return localStorage.getItem(SEEN) !== null; } catch { return true; }
  }
  function remember() {
    try { localStorage.setItem(SEEN, "1"); } catch { /* nothing to keep it in */ }
  }

  async function openProof() {
    if (bytes()) return;
    proof()?.click();
    for (let tries = 0; tries < 50 && !bytes(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    bytes()?.closest("details")?.setAttribute("open", "");
    await new Promise((resolve) => setTimeout(resolve, 350)); // the drawer slides in and takes the focus
  }

  function button(label, act, isNext) {
    const element = document.createElement("button");
    element.type = "button";
    element.className = isNext ? "btn btn-sm btn-primary" : "btn btn-sm";
    element.textContent = label;
    element.addEventListener("click", act);
    return element;
  }

  function place(target) {
    const at = target.getBoundingClientRect();
    const width = Math.min(320, innerWidth - 24);
    box.style.width = `${width}px`;
    box.style.left = `${Math.max(12, Math.min(at.left, innerWidth - width - 12))}px`;
    const below = at.bottom + 12;
    box.style.top = `${below + box.offsetHeight < innerHeight ? below : Math.max(12, at.top - box.offsetHeight - 12)}px`;
  }

  function unmark() {
    for (const element of document.querySelectorAll(".tour-target")) element.classList.remove("tour-target");
  }

  async function go(to) {
    await STEPS[to].before?.();
    const target = STEPS[to].target();
    if (!target) return to > step && to + 1 < STEPS.length ? go(to + 1) : end();
    step = to;
    unmark();
    target.classList.add("tour-target");
    target.scrollIntoView({ block: "center", behavior: "instant" });
    draw(target);
  }

  function draw(target) {
    box?.remove();
    box = document.createElement("section");
    box.className = "tour";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", `Tour, step ${step + 1} of ${STEPS.length}`);
    const text = document.createElement("p");
    text.id = "tour-text";
    text.textContent = STEPS[step].text;
    box.setAttribute("aria-describedby", text.id);
    const foot = document.createElement("div");
    foot.className = "tour-foot";
    const count = document.createElement("span");
    count.className = "quiet me-auto";
    count.textContent = `${step + 1} of ${STEPS.length}`;
    foot.append(count);
    if (step > 0) foot.append(button("Back", () => go(step - 1)));
    const isLast = step + 1 === STEPS.length;
    const next = button(isLast ? "Done" : "Next", () => (isLast ? end() : go(step + 1)), true);
    foot.append(next, ...(isLast ? [] : [button("Leave the tour", end)]));
    box.append(text, foot);
    document.body.append(box);
    place(target);
    next.focus({ preventScroll: true });
  }

  function end() {
    box?.remove();
    box = null;
    step = -1;
    unmark();
    remember();
    opener?.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box) return;
    event.stopPropagation();
    end();
  }, true);
  for (const kind of ["scroll", "resize"]) {
    window.addEventListener(kind, () => { const target = document.querySelector(".tour-target"); if (box && target) place(target); }, true);
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-tour]")) return;
    opener = event.target.closest("[data-tour]");
    go(0);
  });
  document.addEventListener("DOMContentLoaded", () => { if (!isSeen() && proof()) go(0); });
})();
