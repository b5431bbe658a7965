// The filter line: colours, completion and the place of a mistake come from the server, which has the one parser. Results follow
// what is typed as soon as it is a whole filter; until then the last ones stay.
(() => {
  const TYPING_MS = 120;
  const RESULTS_MS = 600;

  class FilterLine {
    constructor(form) {
      this.form = form;
      this.input = form.querySelector(".filter-input");
      this.mirror = form.querySelector(".filter-mirror");
      this.list = form.querySelector(".filter-choices");
      this.problem = form.querySelector(".filter-problem");
      this.reloads = "reloads" in form.dataset; // a figure is drawn anew when the filter is sent
      this.shown = this.input.value; // the filter whose results are on the page
      this.asked = this.shown; // the filter whose results are on the page, or asked for
      this.choices = [];
      this.active = -1;
      this.question = 0;
      this.answered = null; // text of the last answer
      this.mistake = null;
      form.classList.add("is-live");
      this.draw([], null);
      this.listen();
      if (this.input.value) this.ask(false);
    }

    listen() {
      this.input.addEventListener("input", () => this.typed());
      this.input.addEventListener("click", () => this.ask(true));
      this.input.addEventListener("scroll", () => { this.mirror.scrollLeft = this.input.scrollLeft; });
      this.input.addEventListener("keydown", (event) => this.key(event));
      this.input.addEventListener("blur", () => this.left());
      this.form.addEventListener("submit", (event) => this.submit(event));
      this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // the cursor stays in the line
      this.list.addEventListener("click", (event) => {
        const option = event.target.closest("[role=option]");
        if (option) this.take(Number(option.dataset.number));
      });
      this.problem.addEventListener("click", (event) => {
        const fix = event.target.closest("[data-corrected]");
        if (fix) this.replace(0, this.input.value.length, fix.dataset.corrected);
      });
      document.addEventListener("zonechange", () => { if (/\btime\s*[:=<>!]/i.test(this.input.value)) location.reload(); });
    }

    zone() { return window.journalZone?.() ?? ""; }

    typed() {
      this.draw([], null);
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.ask(true), TYPING_MS);
    }

    async ask(opens) {
      const text = this.input.value;
      const number = ++this.question;
      const address = new URL(this.form.dataset.completeUrl, location.href);
      address.searchParams.set("filter", text);
      address.searchParams.set("cursor", this.input.selectionEnd ?? text.length);
      if (this.zone()) address.searchParams.set("zone", this.zone());
      let answer;
      try {
        const response = await fetch(address, { headers: { "HX-Request": "true" } });
        if (!response.ok) return;
        answer = await response.json();
      } catch { return; /* the line works as a form without its completion */ }
      if (number !== this.question || text !== this.input.value) return;
      this.answered = text;
      this.mistake = answer.mistake;
      const isAtWork = document.activeElement === this.input;
      // a word that is not finished yet is no mistake
      const isUnfinished = answer.mistake && isAtWork && answer.mistake.end >= text.trimEnd().length;
      const told = isUnfinished && opens ? null : answer.mistake;
      this.draw(answer.tokens, told);
      this.tell(told);
      this.show(opens && isAtWork ? answer.groups : []);
      clearTimeout(this.waiting);
      if (!answer.mistake && text !== this.asked && !this.reloads && !this.isName()) this.waiting = setTimeout(() => { if (text !== this.asked) this.results(); }, RESULTS_MS);
    }

    // the word at the cursor is the beginning of a name, so the filter is not whole
    isName() {
      return this.choices.some(({ text, start, end }) => start < end && end === this.input.selectionEnd && !/[\s:=<>~]/.test(this.input.value.slice(start, end)) && text.toLowerCase().startsWith(this.input.value.slice(start, end).toLowerCase()) && !/[:=<>~]\s*$/.test(this.input.value.slice(0, start)));
    }

    // the text in colours below the transparent one of the input
    draw(tokens, mistake) {
      const text = this.input.value;
      const cuts = new Set([0, text.length]);
      const spans = tokens.map(([kind, start, end]) => ({ name: `filter-${kind}`, start, end }));
      if (mistake) spans.push({ name: "filter-mistake", start: mistake.start, end: Math.max(mistake.end, mistake.start + 1) });
      for (const { start, end } of spans) cuts.add(Math.min(start, text.length)).add(Math.min(end, text.length));
      const places = [...cuts].sort((a, b) => a - b);
      const nodes = places.slice(1).map((end, index) => {
        const span = document.createElement("span");
        span.textContent = text.slice(places[index], end);
        span.className = spans.filter((each) => each.start <= places[index] && end <= each.end).map((each) => each.name).join(" ");
        return span;
      });
      if (mistake && mistake.start >= text.length) {
        const end = document.createElement("span");
        end.className = "filter-mistake";
        end.textContent = "\u00a0";
        nodes.push(end);
      }
      this.mirror.replaceChildren(...nodes);
      this.mirror.scrollLeft = this.input.scrollLeft;
    }

    tell(mistake) {
      this.form.classList.toggle("has-mistake", Boolean(mistake));
      if (mistake) this.input.setAttribute("aria-invalid", "true");
      else this.input.removeAttribute("aria-invalid");
      this.problem.replaceChildren();
      if (!mistake) return;
      this.problem.append(mistake.sentence);
      if (!mistake.instead) return;
      const fix = document.createElement("button");
      fix.type = "button";
      fix.className = "btn-link";
      fix.dataset.corrected = this.input.value.slice(0, mistake.start) + mistake.instead + this.input.value.slice(mistake.end);
      fix.textContent = `Use ${mistake.instead}`;
      this.problem.append(" ", fix);
    }

    show(groups) {
      this.choices = groups.flatMap((group) => group.choices);
      this.active = -1;
      let number = 0;
      const nodes = groups.map((group, at) => {
        const box = document.createElement("div");
        box.setAttribute("role", "group");
        box.setAttribute("aria-labelledby", `filter-group-${at}`);
        const title = document.createElement("div");
        title.className = "filter-group";
        title.id = `filter-group-${at}`;
        title.textContent = group.title;
        box.append(title, ...group.choices.map((choice) => this.option(choice, number++)));
        return box;
      });
      this.list.replaceChildren(...nodes);
      this.open(this.choices.length > 0);
      this.list.style.left = `${this.placeOf(this.choices[0]?.start ?? 0)}px`;
    }

    // pixels from the left edge of the line to a character, so that the list opens below what it completes
    placeOf(character) {
      const edge = this.form.getBoundingClientRect();
      const text = this.mirror.getBoundingClientRect();
      const glyphs = [...this.mirror.childNodes].reduce((sum, node) => sum + node.getBoundingClientRect().width, 0);
      const each = this.input.value.length ? glyphs / this.input.value.length : 0;
      const left = text.left - edge.left + character * each - this.input.scrollLeft - 12;
      return Math.max(0, Math.min(left, edge.width - this.list.offsetWidth));
    }

    option(choice, number) {
      const option = document.createElement("div");
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.id = `filter-choice-${number}`;
      option.dataset.number = number;
      const name = document.createElement("span");
      name.className = "filter-choice-text";
      const typed = this.input.value.slice(choice.start, choice.end);
      const at = typed ? choice.text.toLowerCase().indexOf(typed.toLowerCase()) : -1;
      if (at < 0) name.textContent = choice.text;
      else {
        const match = document.createElement("b");
        match.textContent = choice.text.slice(at, at + typed.length);
        name.append(choice.text.slice(0, at), match, choice.text.slice(at + typed.length));
      }
      const about = document.createElement("span");
      about.className = "filter-choice-about";
      about.textContent = choice.about;
      option.append(name, about);
      return option;
    }

    open(isOpen) {
      this.list.hidden = !isOpen;
      this.input.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen) this.point(-1);
    }

    point(number) {
      this.active = number;
      for (const option of this.list.querySelectorAll("[role=option]")) {
        const isActive = Number(option.dataset.number) === number;
        option.setAttribute("aria-selected", String(isActive));
        if (isActive) option.scrollIntoView({ block: "nearest" });
      }
      if (number < 0) this.input.removeAttribute("aria-activedescendant");
      else this.input.setAttribute("aria-activedescendant", `filter-choice-${number}`);
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      const isOpen = !this.list.hidden;
      const count = this.choices.length;
      if (event.key === "Escape" && isOpen) {
        event.preventDefault();
        event.stopPropagation();
        this.open(false);
      } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !event.shiftKey) {
        event.preventDefault();
        if (!isOpen) this.ask(true);
        else this.point(event.key === "ArrowDown" ? (this.active + 1) % count : (this.active <= 0 ? count : this.active) - 1);
      } else if (event.key === "Tab" && isOpen && !event.shiftKey) {
        event.preventDefault();
        this.take(Math.max(0, this.active));
      } else if (event.key === "Enter" && isOpen && this.active >= 0) {
        event.preventDefault();
        this.take(this.active);
      }
    }

    take(number) {
      const choice = this.choices[number];
      if (choice) this.replace(choice.start, choice.end, choice.insert);
    }

    replace(start, end, text) {
      this.input.focus();
      this.input.setRangeText(text, start, end, "end");
      this.open(false);
      this.draw([], null);
      this.ask(true);
    }

    left() {
      this.open(false);
      if (this.mistake && this.answered === this.input.value) this.ask(false);
    }

    submit(event) {
      event.preventDefault();
      clearTimeout(this.waiting);
      clearTimeout(this.typing);
      if (event.submitter?.name === "filter") this.input.value = event.submitter.value;
      this.open(false);
      const isWrong = this.answered === this.input.value && this.mistake;
      this.ask(false); // an answer to what was typed before no longer opens the list
      if (!isWrong) this.results();
    }

    address() {
      const address = new URL(location.href);
      for (const name of [...address.searchParams.keys()]) if (!this.form.elements[name]) address.searchParams.delete(name);
      address.hash = "";
      const text = this.input.value.trim();
      if (text) address.searchParams.set("filter", text);
      else address.searchParams.delete("filter");
      if (this.zone()) address.searchParams.set("zone", this.zone());
      return address;
    }

    // the same page with the filter of the line: its results take the place of those shown, unless the filter has a mistake
    async results() {
      const text = this.input.value;
      const address = this.address();
      this.asked = text;
      if (this.reloads) return location.assign(address);
      const places = () => document.querySelectorAll("[data-filter-results]");
      for (const place of places()) place.setAttribute("aria-busy", "true");
      let page;
      try {
        page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
      } catch { return location.assign(address); }
      const line = page.querySelector("[data-filter-line]");
      if (!line) return location.assign(address);
      if (text !== this.input.value) return void (this.asked = this.shown);
      for (const place of places()) place.removeAttribute("aria-busy");
      if (line.classList.contains("has-mistake")) return this.ask(false);
      this.shown = text;
      history.replaceState(history.state, "", address);
      const fresh = page.querySelectorAll("[data-filter-results]");
      places().forEach((place, at) => {
        if (!fresh[at]) return;
        place.replaceWith(fresh[at]);
        window.htmx?.process(fresh[at]);
        fresh[at].dispatchEvent(new CustomEvent("htmx:afterSettle", { bubbles: true })); // times in the zone that is shown
      });
      return document.dispatchEvent(new CustomEvent("filterchange", { detail: text }));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("[data-filter-line]")) new FilterLine(form);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const input = document.querySelector("[data-filter-line] .filter-input");
    if (!input) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
