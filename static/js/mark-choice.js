// Records that one point of a figure stands for: a list to choose one from, at that point.
(() => {
  const SHOWN = 100;
  const EDGE = 8; // pixels to the window's edge
  const TAP_MS = 120; // until the browser has told everything of a tap: the rest would close the list, or click in it
  const list = document.createElement("div");

  list.className = "mark-choice";
  list.popover = "auto"; // Escape and a click elsewhere close it
  list.setAttribute("role", "dialog");
  list.setAttribute("aria-label", "Records at this point");

  function text(words) {
    const parsed = new DOMParser().parseFromString(words, "text/html"); // words of a figure have the entities of HTML
    return parsed.body.textContent;
  }

  function entry(record, onChoice) {
    const button = document.createElement("button");
    button.type = "button";
    const offset = document.createElement("strong");
    offset.textContent = `offset ${record.offset}`;
    button.append(offset, ` ${text(record.words)}`);
    button.addEventListener("click", () => {
      list.hidePopover();
      onChoice(record);
    });
    return button;
  }

  window.chooseRecord = (records, event, onChoice) => {
    setTimeout(() => open(records, event, onChoice), event?.type.startsWith("touch") ? TAP_MS : 0);
  };

  function open(records, event, onChoice) {
    const heading = document.createElement("p");
    heading.textContent = `${records.length} records here`;
    const shown = records.slice(0, SHOWN).map((record) => entry(record, onChoice));
    list.replaceChildren(heading, ...shown);
    if (records.length > SHOWN) {
      const more = document.createElement("p");
      more.textContent = `${records.length - SHOWN} more. Zoom in, or open Records.`;
      list.append(more);
    }
    document.body.append(list);
    list.showPopover();
    const box = list.getBoundingClientRect();
    const at = event?.changedTouches?.[0] ?? event;
    const [x, y] = [at?.clientX ?? 0, at?.clientY ?? 0];
    const isAbove = y + EDGE + box.height > window.innerHeight && y - EDGE > box.height; // the point stays in sight
    list.style.left = `${Math.max(EDGE, Math.min(x - box.width / 2, window.innerWidth - box.width - EDGE))}px`;
    list.style.top = `${isAbove ? y - EDGE - box.height : Math.max(EDGE, Math.min(y + EDGE, window.innerHeight - box.height - EDGE))}px`;
    shown[0].focus({ preventScroll: true });
  }
})();
