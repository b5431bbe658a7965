// Documentation: the search over its index (also without a server), a button that copies each block of code.
(() => {
  const MOST = 30;
  const MOST_OF_PAGE = 3;
  const EXCERPT = 140;
  const BEFORE = 40; // characters of an excerpt before the hit
  const form = document.querySelector("[data-docs-index]");
  const list = document.getElementById("docs-results");
  let index = null;
  let newest = 0; // number of the last request: an older answer is not shown

  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const begins = (text, word) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, "u").test(text);

  // a word in a title counts more than one in a heading, and that more than one in the text
  function rank(section, words) {
    let sum = 0;
    for (const word of words) {
      const weight = [[section.page, 9], [section.title, 4], [section.text, 1]].find(([text]) => begins(folded(text), word));
      if (!weight) return 0;
      sum += weight[1];
    }
    return sum + (section.title ? 0 : 2); // the beginning of a page before its sections
  }

  // some words around the first hit, whole ones
  function excerpt(section, words) {
    const { text } = section;
    const hit = text.search(hits(words));
    const from = hit > BEFORE ? Math.min(text.indexOf(" ", hit - BEFORE) + 1, hit) : 0;
    const space = text.lastIndexOf(" ", from + EXCERPT);
    const end = from + EXCERPT >= text.length ? text.length : space > hit ? space : from + EXCERPT;
    return (from ? "… " : "") + text.slice(from, end) + (end < text.length ? " …" : "");
  }

  function hits(words) {
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})[\\p{L}\\p{N}]*`, "giu");
  }

  function marked(text, words) {
    const pieces = [];
    let end = 0;
    for (const { 0: hit, index: at } of text.matchAll(hits(words))) {
      const mark = document.createElement("mark");
      mark.textContent = hit;
      pieces.push(text.slice(end, at), mark);
      end = at + hit.length;
    }
    return [...pieces, text.slice(end)];
  }

  function line(section, words) {
    const link = document.createElement("a");
    link.href = form.dataset.docsRoot + section.at + (section.id ? `#${section.id}` : "");
    const title = document.createElement("strong");
    title.append(...marked(section.title ? `${section.page} · ${section.title}` : section.page, words));
    const text = document.createElement("span");
    text.className = "quiet";
    text.append(...marked(excerpt(section, words), words));
    link.append(title, text);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  function note(text) {
    const paragraph = document.createElement("p");
    paragraph.className = "quiet";
    paragraph.setAttribute("role", "status");
    paragraph.textContent = text;
    return paragraph;
  }

  async function search(text) {
    const number = ++newest;
    const words = folded(text).split(/\s+/).filter(Boolean);
    list.hidden = !words.length;
    if (!words.length) return;
    try {
      index ??= await (await fetch(form.dataset.docsIndex)).json();
    } catch {
      list.replaceChildren(note("The search index does not load. Try again."));
      return;
    }
    if (number !== newest) return;
    const ranked = index.map((section) => [rank(section, words), section]).filter(([sum]) => sum);
    ranked.sort(([a], [b]) => b - a);
    const ofPage = {};
    const shown = ranked.filter(([, { at }]) => (ofPage[at] = (ofPage[at] ?? 0) + 1) <= MOST_OF_PAGE).slice(0, MOST);
    const items = document.createElement("ul");
    items.append(...shown.map(([, section]) => line(section, words)));
    const count = shown.length < ranked.length ? `${shown.length} of ${ranked.length} sections` : `${ranked.length} section${ranked.length === 1 ? "" : "s"}`;
    list.replaceChildren(note(ranked.length ? count : `No section contains all words of “${text}”.`), items);
  }

  function copy(code) {
    if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
    getSelection().selectAllChildren(code); // the clipboard's interface exists on secure addresses only
    return document.execCommand("copy") ? Promise.resolve() : Promise.reject(new Error("refused"));
  }

  for (const block of document.querySelectorAll(".prose pre")) {
    const box = document.createElement("div");
    box.className = "code-copy";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      copy(block.firstElementChild).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not copied"; });
    });
    block.replaceWith(box);
    box.append(block, button);
  }

  // an anchor inside a folded list, and the list itself, are shown
  function unfold() {
    let place = null;
    try {
      place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch { /* a percent sign that encodes nothing leads nowhere */ }
    if (place?.nextElementSibling?.matches("details")) place.nextElementSibling.open = true;
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  if (!form) return;
  const input = form.elements.q;
  input.addEventListener("input", () => search(input.value));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search(input.value).then(() => list.querySelector("a")?.focus());
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    input.value = asked;
    search(asked);
  }
})();
