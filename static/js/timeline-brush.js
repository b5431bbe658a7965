// The brush: the whole journal in small bars, with the window on it. Drag its middle, its ends or empty strip; or use keys.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const CLICK = 0.004; // of the strip: less than that is no drag
  const WIDE = 1000; // of the strip's own units
  const STEP = 0.02; // of the whole, for one press of a key

  window.timelineBrush = (onWindow) => {
    const strip = document.querySelector("[data-brush]");
    const bars = strip.querySelector("[data-brush-bars]");
    const handles = ["middle", "start", "stop"].map((name) => strip.querySelector(`[data-brush-${name}]`));
    const [middle, start, stop] = handles;
    let whole = [0, 1];
    let shown = [0, 1];
    let breaks = [];
    let text = String;
    let drag = null;

    // distance from the start, without what an axis of times leaves out; and the other way round
    const position = (x) => x - whole[0] - breaks.reduce((sum, [low, high]) => sum + Math.min(Math.max(x, low), high) - low, 0);
    const value = (distance) => breaks.reduce((x, [low, high]) => (x > low ? x + high - low : x), whole[0] + distance);
    const extent = () => Math.max(1, position(whole[1]));
    const share = (x) => position(x) / extent();
    const at = (event) => {
      const box = strip.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * extent();
    };

    // the last offset is at the strip's end: what is drawn there is moved inside
    function rect(at, width, y, height, className) {
      const element = document.createElementNS(NS, "rect");
      const x = Math.max(0, Math.min(at, WIDE - width));
      for (const [name, value] of Object.entries({ x, width, y, height, class: className })) element.setAttribute(name, value);
      return element;
    }

    function drawBars(answer) {
      const most = Math.max(1, ...answer.bars.records);
      const width = Math.max(1, (answer.bars.width / (extent() + 1)) * WIDE * 0.84);
      const marks = answer.bars.starts.map((x, number) => {
        const height = Math.max(6, (answer.bars.records[number] / most) * 86);
        return rect(share(x) * WIDE, width, 100 - height, height, "brush-bar");
      });
      for (const [low] of breaks) marks.push(rect(share(low) * WIDE - 1, 2, 0, 100, "brush-fold"));
      for (const x of answer.bars.restarts) marks.push(rect(share(x) * WIDE, 1.5, 0, 100, "brush-restart"));
      for (const event of answer.events) {
        if (event.what === "finding") marks.push(rect(share(event.x) * WIDE - 1, 3, 0, 34, "brush-finding"));
      }
      bars.replaceChildren(...marks);
      strip.querySelector("[data-brush-first]").textContent = text(whole[0]);
      strip.querySelector("[data-brush-last]").textContent = text(whole[1]);
    }

    function place() {
      const [low, high] = shown.map((x) => Math.min(1, Math.max(0, share(x))) * 100);
      middle.style.left = `${low}%`;
      middle.style.width = `${Math.max(0.4, high - low)}%`;
      start.style.left = `${low}%`;
      stop.style.left = `${high}%`;
      const values = [shown[0], shown[0], shown[1]];
      handles.forEach((handle, number) => {
        handle.setAttribute("aria-valuemin", Math.round(whole[0]));
        handle.setAttribute("aria-valuemax", Math.round(whole[1]));
        handle.setAttribute("aria-valuenow", Math.round(values[number]));
        handle.setAttribute("aria-valuetext", number ? text(values[number]) : `${text(shown[0])} to ${text(shown[1])}`);
      });
    }

    // all distances from the start, as they are drawn
    function move(first, last) {
      const width = Math.min(last - first, extent());
      const low = Math.min(Math.max(first, 0), extent() - width);
      shown = [value(low), value(low + width)];
      place();
    }

    function resize(first, last) {
      const [low, high] = [Math.min(first, last), Math.max(first, last)];
      shown = [value(Math.max(0, low)), value(Math.min(extent(), high))];
      place();
    }

    function dragTo(x) {
      const [first, last] = drag.shown.map(position);
      if (drag.part === middle) move(first + x - drag.x, last + x - drag.x);
      else if (drag.part === start) resize(first + x - drag.x, last);
      else if (drag.part === stop) resize(first, last + x - drag.x);
      else if (Math.abs(x - drag.x) > extent() * CLICK) resize(drag.x, x);
    }

    strip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      drag = { part: handles.find((handle) => handle === event.target) ?? null, x: at(event), shown: [...shown], pointer: event.pointerId };
      strip.setPointerCapture(event.pointerId);
      event.preventDefault();
      drag.part?.focus();
    });
    strip.addEventListener("pointermove", (event) => { if (drag) dragTo(at(event)); });
    strip.addEventListener("pointerup", () => {
      const moved = drag && (drag.shown[0] !== shown[0] || drag.shown[1] !== shown[1]);
      drag = null;
      if (moved) onWindow(shown[0], shown[1]);
    });
    strip.addEventListener("pointercancel", () => { drag = null; });
    strip.addEventListener("dblclick", () => onWindow(whole[0], whole[1]));

    strip.addEventListener("keydown", (event) => {
      const step = Math.max(1, extent() * STEP) * ({ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5 }[event.key] ?? 0);
      const isEnd = { Home: -1, End: 1 }[event.key];
      if (!step && !isEnd) return;
      event.preventDefault();
      const by = isEnd ? isEnd * extent() : step;
      const [first, last] = shown.map(position);
      if (event.target === middle) move(first + by, last + by);
      else if (event.target === start) resize(Math.min(first + by, last - 1), last);
      else if (event.target === stop) resize(first, Math.max(last + by, first + 1));
      onWindow(shown[0], shown[1]);
    });

    return (answer, words) => {
      text = words;
      [whole, shown, breaks] = [answer.whole, [...answer.window], answer.bars.breaks ?? []];
      drawBars(answer);
      place();
    };
  };
})();
